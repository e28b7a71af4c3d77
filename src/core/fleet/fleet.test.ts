import { describe, expect, it } from 'vitest'
import { seenList } from '#/core/basics/observed.ts'
import { buildFleet } from '#test/fleets/build-fleet.ts'
import { jobProofs } from './fleet.ts'

const record = {
  metadata: { name: 'lane-x-runner-a', namespace: 'ns' },
  status: { runnerId: 7, runnerName: 'lane-x-runner-a' },
}
const row = (changes: object = {}) => ({
  id: 7,
  name: 'lane-x-runner-a',
  status: 'offline',
  busy: false,
  labels: [],
  ...changes,
})
const busy = row({ status: 'online', busy: true })

type Given = {
  readonly runners?: readonly object[]
  readonly queued?: readonly object[]
  readonly single?: readonly object[]
}

function proofs({ runners = [], queued = [], single = [] }: Given) {
  const rows = (list: readonly object[]) => seenList(list.map((one) => ({ ...one })))
  const github = {
    runners: rows(runners),
    queuedJobs: rows(queued),
    jobs: rows(single),
    rateLimit: { kind: 'none' } as const,
  }
  const [runner] = buildFleet({ ephemeralrunners: [record] }, { github }).runners
  return runner === undefined ? null : jobProofs(runner)
}

describe('a runner joined from ARC and GitHub', () => {
  it.each<readonly [string, Given, readonly string[]]>([
    ['is idle by its row', { runners: [row()] }, []],
    ['is busy by its row', { runners: [busy] }, ['github-busy']],
    ['is busy if another row of its name is not', { runners: [busy, row({ id: 8 })] }, ['github-busy']],
    [
      'is busy whatever the case of its name',
      { runners: [{ ...busy, id: 9, name: 'LANE-X-runner-a' }] },
      ['github-busy'],
    ],
    [
      'has the job that names it',
      { queued: [{ id: 1, status: 'in_progress', runner_name: 'lane-x-runner-a' }] },
      ['github-job'],
    ],
    [
      'has the job that is known by its id alone',
      { queued: [{ id: 1, status: 'in_progress', runner_id: 7 }] },
      ['github-job'],
    ],
    [
      'has a running job that was fetched before it ran',
      {
        queued: [{ id: 1, status: 'in_progress', runner_name: 'lane-x-runner-a' }],
        single: [{ id: 1, status: 'queued' }],
      },
      ['github-job'],
    ],
    [
      'has none that was fetched when it had ended',
      {
        queued: [{ id: 1, status: 'in_progress', runner_name: 'lane-x-runner-a' }],
        single: [{ id: 1, status: 'completed', runner_name: 'lane-x-runner-a' }],
      },
      [],
    ],
  ])('%s', (_title, given, expected) => {
    expect(proofs(given)).toEqual(expected)
  })

  it('has a job by a field of any type', () => {
    const [runner] = buildFleet({ ephemeralrunners: [{ ...record, status: { jobRequestId: '7' } }] }).runners
    expect(runner === undefined ? null : jobProofs(runner)).toEqual(['record'])
  })
})

describe('the pod of a runner', () => {
  const owned = (uid: string | null, phase: string) => ({
    metadata: {
      name: 'lane-x-runner-a',
      namespace: 'ns',
      ...(uid === null ? {} : { ownerReferences: [{ kind: 'EphemeralRunner', name: 'lane-x-runner-a', uid }] }),
    },
    status: { phase },
  })
  const runner = { ...record, metadata: { ...record.metadata, uid: 'now' } }

  it.each([
    ['is the one that it owns, wherever it stands', [owned('now', 'Running'), owned('before', 'Succeeded')], 'Running'],
    ['is not that of an earlier runner of its name', [owned('before', 'Succeeded')], null],
    ['is the one of its name where nobody says whose it is', [owned(null, 'Running')], 'Running'],
  ])('%s', (_title, pods, phase) => {
    const [own] = buildFleet({ ephemeralrunners: [runner], pods }).runners
    expect(own?.pod?.phase ?? null).toBe(phase)
  })
})
