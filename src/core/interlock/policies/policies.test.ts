import { readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { WHOLE_FLEET } from '#/core/audit/audit.ts'
import { buildRuntimeView } from '#/core/fleet/traps/view.ts'
import { POLICY_IDS } from '#/core/interlock/policy.ts'
import type { PolicyId, ProposedAct } from '#/core/interlock/policy.ts'
import { arcFleet } from '#test/fleets/arc-set.ts'
import type { RunnerCase, SetCase } from '#test/fleets/arc-set.ts'
import { POLICIES } from './index.ts'

const A = 'lane-x7k2p-runner-aaaaa'
const B = 'lane-x7k2p-runner-bbbbb'
const C = 'lane-x7k2p-runner-ccccc'
const idle: RunnerCase = { name: A }
const left: RunnerCase = { name: A, github: 'offline' }
const waiting = { id: 7, status: 'queued', labels: ['lane'] }
const completed = (age: number) => ({
  id: 8,
  status: 'completed',
  conclusion: 'success',
  runner_name: A,
  completed_at: new Date(Date.parse('2026-06-01T12:00:00Z') - age * 1000).toISOString(),
})
const says = (...lines: readonly string[]): NonNullable<SetCase['logs']> => [
  { pod: A, lines: lines.map((text, index) => [100 - index, text] as const) },
]
const CONFLICT = 'Error: Conflict. Retrying until reconnected.'
const SKIPPED = 'Skipping message Job. Job message not found: job was canceled'
const unregistered = { phase: undefined, ready: undefined, runnerId: undefined }

const FLOWING: SetCase = {
  runnerSets: [{ spec: { replicas: 1, patchID: 7 } }],
  runners: [idle, { name: B, job: true, github: 'busy' }],
}

function propose(id: PolicyId, own: SetCase): readonly ProposedAct[] {
  const policy = POLICIES.find((one) => one.id === id)
  return policy?.propose(buildRuntimeView(arcFleet(own), WHOLE_FLEET)) ?? []
}

const names = (id: PolicyId, own: SetCase): readonly string[] => propose(id, own).map(({ subject }) => subject.name)

describe('the policies', () => {
  it('are those of the contract, in its order', () => {
    const contract = readFileSync(
      path.resolve(import.meta.dirname, '..', '..', '..', '..', 'docs', 'contracts', 'findings.md'),
      'utf8',
    )
    const [, table = ''] = contract.split('| act | gates | policy |')
    const column = table.split('\n').map((row) => row.split(' | ').at(-1) ?? '')
    const named = column.flatMap((cell) => [...cell.matchAll(/`([a-z-]+)`/g)].map(([, id]) => id))
    expect(named.filter((id) => id !== 'stamped-pods')).toEqual(POLICY_IDS)
    expect(POLICIES.map(({ id }) => id)).toEqual(POLICY_IDS)
  })

  it('are each in a file with their id as name', () => {
    const files = readdirSync(import.meta.dirname).filter((name) => !/^index\.ts$|\.test\.ts$/.test(name))
    expect(files.map((name) => path.basename(name, '.ts')).toSorted()).toEqual([...POLICY_IDS].toSorted())
  })

  it('say what they remove, how they choose, and what they need', () => {
    for (const { removes, about, needs } of POLICIES) {
      expect(removes).toMatch(/^\S.{20,}[^.]$/s)
      expect(about).toMatch(/^[A-Z].{40,}\.$/s)
      expect(needs).toContain('kubernetes/ephemeralrunners')
    }
  })

  it('propose nothing in a healthy set, busy or idle', () => {
    const own: SetCase = {
      runnerSets: [{ spec: { replicas: 2 } }],
      runners: [idle, { name: B, job: true, github: 'busy' }],
    }
    expect(POLICY_IDS.flatMap((id) => names(id, own))).toEqual([])
  })

  it('propose no runner that terminates', () => {
    const own: SetCase = {
      runners: [{ ...left, deleted: 60, status: { phase: 'Failed' } }],
      logs: says(CONFLICT),
      completed: [completed(3600)],
    }
    expect(POLICY_IDS.flatMap((id) => names(id, own))).toEqual([])
  })
})

describe('a policy proposes', () => {
  it.each<readonly [PolicyId, string, readonly string[], SetCase]>([
    ['offline', 'one that is offline', [A], { runners: [left] }],
    ['offline', 'one that GitHub does not have', [A], { runners: [{ ...left, github: 'absent' }, { name: B }] }],
    ['offline', 'one that is busy, for the gates to refuse', [A], { runners: [{ ...left, github: 'offline-busy' }] }],
    ['offline', 'one with a recorded job, for the gates to refuse', [A], { runners: [{ ...left, job: true }] }],
    ['offline', 'one of three minutes, for the gates to refuse', [A], { runners: [{ ...left, age: 180 }] }],
    ['offline', 'none of a minute: it is still connecting', [], { runners: [{ ...left, age: 60 }] }],
    ['offline', 'none that is online', [], { runners: [idle] }],
    ['offline', 'none while GitHub is blind', [], { runners: [left], blind: ['github'] }],
    [
      'offline',
      'none that waits for its image',
      [],
      {
        runners: [
          {
            ...left,
            status: { phase: 'Pending', ready: undefined },
            pod: { phase: 'Pending', state: { waiting: { reason: 'ImagePullBackOff' } } },
          },
        ],
      },
    ],
    ['offline', 'none that never registered', [], { runners: [{ ...left, status: unregistered, pod: null }] }],
    ['zombie', 'one whose log has a conflict', [A], { runners: [left], logs: says(CONFLICT) }],
    [
      'zombie',
      'one with a job, for the gates to refuse',
      [A],
      { runners: [{ ...left, job: true }], logs: says(CONFLICT) },
    ],
    ['zombie', 'none that reconnected', [], { runners: [left], logs: says(CONFLICT, 'Listening for Jobs') }],
    ['never-registered', 'one without an id', [A], { runners: [{ ...idle, status: unregistered, pod: null }] }],
    [
      'never-registered',
      'none of four minutes',
      [],
      { runners: [{ ...idle, age: 240, status: unregistered, pod: null }] },
    ],
    ['failed', 'one in phase Failed', [A], { runners: [{ ...left, status: { phase: 'Failed' } }] }],
    [
      'failed',
      'one with a job, for the gates to refuse',
      [A],
      { runners: [{ ...left, job: true, status: { phase: 'Failed' } }] },
    ],
    ['failed', 'none that runs', [], { runners: [left] }],
    ['hung', 'one whose job is completed', [A], { runners: [idle], completed: [completed(3600)] }],
    [
      'hung',
      'one that also records it, for the gates to refuse',
      [A],
      { runners: [{ ...idle, job: true }], completed: [completed(3600)] },
    ],
    ['hung', 'none whose job was completed a minute ago', [], { runners: [idle], completed: [completed(60)] }],
    [
      'hung',
      'none that has another job in progress',
      [],
      { runners: [idle], completed: [completed(3600)], jobs: [{ id: 9, status: 'in_progress', runner_name: A }] },
    ],
    [
      'hung',
      'none whose pod has ended',
      [],
      { runners: [{ ...idle, pod: { phase: 'Succeeded' } }], completed: [completed(3600)] },
    ],
    [
      'handoff',
      'one that skipped a job while another waits',
      [A],
      { runners: [idle], logs: says(SKIPPED), jobs: [waiting] },
    ],
    ['handoff', 'none while nothing waits', [], { runners: [idle], logs: says(SKIPPED) }],
    [
      'handoff',
      'none that took a job since',
      [],
      { runners: [idle], logs: says(SKIPPED, 'Running job: build'), jobs: [waiting] },
    ],
    [
      'handoff',
      'none that is busy',
      [],
      { runners: [{ ...idle, github: 'busy' }], logs: says(SKIPPED), jobs: [waiting] },
    ],
    [
      'excess',
      'the oldest idle ones above the desired count',
      [B, A],
      {
        runnerSets: [{ spec: { replicas: 1 } }],
        runners: [idle, { name: B, age: 7200 }, { name: C, age: 900 }],
      },
    ],
    [
      'excess',
      'only idle ones, although busy ones count',
      [A],
      {
        runnerSets: [{ spec: { replicas: 1 } }],
        runners: [idle, { name: B, age: 9000, job: true, github: 'busy' }, { name: C, age: 9000, github: 'busy' }],
      },
    ],
    ['excess', 'all of a set that wants none', [A], { runners: [idle] }],
    ['excess', 'none while jobs flow', [], FLOWING],
    ['excess', 'those that a listener which is down left', [A], { ...FLOWING, listenerPod: false }],
    ['excess', 'none at the desired count', [], { runnerSets: [{ spec: { replicas: 1 } }], runners: [idle] }],
    [
      'excess',
      'none because of one that failed',
      [],
      { runnerSets: [{ spec: { replicas: 1 } }], runners: [idle, { name: B, status: { phase: 'Failed' } }] },
    ],
    ['excess', 'none of a generation that goes', [], { runnerSets: [{ deleted: 60 }], runners: [idle] }],
    [
      'stale-generation',
      'those of all but the newest generation, working or not',
      [A, B],
      {
        runnerSets: [{ age: 9000 }, { name: 'lane-new', age: 60 }],
        runners: [
          idle,
          { name: B, job: true },
          { name: C, metadata: { ownerReferences: [{ kind: 'EphemeralRunnerSet', name: 'lane-new' }] } },
        ],
      },
    ],
    [
      'stale-generation',
      'none if two generations have the same age',
      [],
      { runnerSets: [{ age: 60 }, { name: 'lane-new', age: 60 }], runners: [idle] },
    ],
    ['stale-generation', 'none of the only generation', [], { runners: [idle] }],
    [
      'stale-generation',
      'one with an older revision',
      [A],
      {
        version: '0.15.0',
        runnerSets: [{ status: { appliedActionableRevision: 3 } }],
        runners: [{ ...idle, annotations: { 'actions.github.com/actionable-revision': '2' } }],
      },
    ],
    [
      'stale-generation',
      'none with the applied revision',
      [],
      {
        version: '0.15.0',
        runnerSets: [{ status: { appliedActionableRevision: 3 } }],
        runners: [{ ...idle, annotations: { 'actions.github.com/actionable-revision': '3' } }],
      },
    ],
    [
      'stale-generation',
      'one with another integrity-hash than its EphemeralRunnerSet',
      [A],
      {
        runnerSets: [{ annotations: { 'actions.github.com/integrity-hash': 'b' } }],
        runners: [{ ...idle, annotations: { 'actions.github.com/integrity-hash': 'a' } }],
      },
    ],
    [
      'wedge',
      'a set that waits for idle runners',
      ['lane'],
      { phase: 'Pending', listener: false, listenerPod: false, runners: [idle] },
    ],
    [
      'wedge',
      'none that waits for a job',
      [],
      { phase: 'Pending', listener: false, listenerPod: false, runners: [idle, { name: B, github: 'busy' }] },
    ],
    [
      'wedge',
      'none that has just changed',
      [],
      { phase: 'Pending', listener: false, listenerPod: false, runners: [{ ...idle, age: 30 }] },
    ],
    ['wedge', 'none with a listener', [], { runners: [idle] }],
  ])('%s: %s', (id, _what, expected, own) => {
    expect(names(id, own)).toEqual(expected)
  })
})
