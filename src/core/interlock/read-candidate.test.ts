import { describe, expect, it } from 'vitest'
import { buildRuntimeView } from '#/core/fleet/traps/view.ts'
import type { Observed } from '#/core/basics/observed.ts'
import { arcFleet } from '#test/fleets/arc-set.ts'
import type { RunnerCase, SetCase } from '#test/fleets/arc-set.ts'
import { NOW } from '#test/fleets/build-fleet.ts'
import type { CandidateSnapshot } from './candidate-snapshot.ts'
import { candidateReader } from './read-candidate.ts'

const NAME = 'lane-x7k2p-runner-aaaaa'
const own: RunnerCase = { name: NAME, github: 'offline', metadata: { generation: 3 } }
const terms = { github: 'gone', minAgeMs: 600_000, freshMs: 600_000 } as const

function read(set: SetCase): CandidateSnapshot {
  const view = buildRuntimeView(arcFleet(set), { scaleSets: [], labels: [] })
  const state = view.runners.find(({ runner }) => runner.name === NAME)
  if (state === undefined) throw new Error('there is no such runner')
  return candidateReader(view)(state, terms)
}

const describeValue = (observed: Observed<unknown>): unknown =>
  observed.kind === 'seen' ? observed.value : observed.kind === 'blind' ? observed.reason.code : 'none'

describe('the snapshot of a candidate', () => {
  it('has the identity, the age and the terms of the runner', () => {
    const snapshot = read({ runners: [own] })
    const identity = { uid: `uid-of-${NAME}`, generation: 3, owner: 'EphemeralRunnerSet lane-x7k2p' }
    expect(snapshot).toMatchObject({
      subject: { kind: 'EphemeralRunner', namespace: 'arc', name: NAME },
      now: NOW,
      terms,
    })
    expect(snapshot.object.observed).toEqual({
      kind: 'seen',
      value: { ...identity, isDeleting: false },
    })
    expect(snapshot.createdAt.observed).toEqual({ kind: 'seen', value: NOW - 3_600_000 })
  })

  it.each<readonly [string, keyof CandidateSnapshot, unknown, SetCase]>([
    [
      'its recorded job',
      'record',
      { job: 'job "build" of example-org/app', slot: null, mark: null },
      { runners: [{ ...own, job: true }] },
    ],
    [
      'an annotation of ours',
      'record',
      { job: null, slot: null, mark: 'signalbox.dev/x' },
      { runners: [{ ...own, annotations: { 'signalbox.dev/x': '1' } }] },
    ],
    ["GitHub's row", 'github', { id: 9001, isOnline: false, isBusy: false }, { runners: [own] }],
    ['that GitHub does not have it', 'github', 'none', { runners: [{ ...own, github: 'absent' }, { name: 'other' }] }],
    ['that GitHub was blind', 'github', 'forbidden', { runners: [own], blind: ['github'] }],
    [
      'a job in progress',
      'githubJob',
      { id: 5, status: 'in_progress' },
      { runners: [own], jobs: [{ id: 5, status: 'in_progress', runner_name: NAME }] },
    ],
    [
      'a job that was queued again',
      'githubJob',
      { id: 5, status: 'queued' },
      { runners: [own], jobs: [{ id: 5, status: 'queued', runner_name: NAME.toUpperCase() }] },
    ],
    [
      'that no job names it',
      'githubJob',
      'none',
      { runners: [own], jobs: [{ id: 5, status: 'in_progress', runner_name: 'other' }] },
    ],
    [
      'a job of its own though the queue is blind',
      'githubJob',
      { id: 5, status: 'in_progress' },
      { runners: [own], blind: ['queue'], completed: [{ id: 5, status: 'in_progress', runner_name: NAME }] },
    ],
    [
      'that the single jobs of an organisation were blind, which the queue of one repository does not have',
      'githubJob',
      'forbidden',
      { runners: [own], blind: ['jobs'] },
    ],
    [
      'that no job of its own repository names it, with the single jobs blind',
      'githubJob',
      'none',
      { runners: [{ ...own, configUrl: 'https://github.com/example-org/app' }], blind: ['jobs'] },
    ],
    ['that the queue was blind', 'githubJob', 'forbidden', { runners: [own], blind: ['queue'] }],
    ['that nothing was asked of GitHub yet', 'deregistration', 'not-asked', { runners: [own] }],
    [
      'that there is nothing to remove at GitHub',
      'deregistration',
      'none',
      { runners: [{ ...own, github: 'absent' }, { name: 'other' }] },
    ],
    ['that it has no pod', 'pod', 'none', { runners: [{ ...own, pod: null }] }],
    ['that pods were blind', 'pod', 'forbidden', { runners: [own], blind: ['pods'] }],
    [
      'its processes',
      'processes',
      ['18 14 20095 /home/runner/bin/Runner.Listener run'],
      { runners: [{ ...own, processes: 'waiting' }] },
    ],
    [
      'no processes of another container',
      'processes',
      'malformed',
      { runners: [{ ...own, processes: 'another-container' }] },
    ],
    ['that nobody looked at its processes', 'processes', 'not-asked', { runners: [own] }],
    [
      'the job in its log',
      'log',
      'Running job: build',
      { runners: [own], logs: [{ pod: NAME, lines: [[60, 'Running job: build']] }] },
    ],
    [
      'no job that ended in its log',
      'log',
      'none',
      {
        runners: [own],
        logs: [
          {
            pod: NAME,
            lines: [
              [60, 'Running job: build'],
              [9, 'Job build completed with result: Succeeded'],
            ],
          },
        ],
      },
    ],
    [
      'its vitals',
      'vitals',
      { listeners: 1, workers: 0 },
      { runners: [own], logs: [{ pod: NAME, lines: [[60, '']], vitals: [15, 'runner.listeners=1 runner.workers=0'] }] },
    ],
    [
      'no vitals that count nothing',
      'vitals',
      'not-asked',
      { runners: [own], logs: [{ pod: NAME, lines: [[60, '']], vitals: [15, 'memory.current=1'] }] },
    ],
    [
      'no vitals from the future: by a clock that is ahead an old line looks fresh',
      'vitals',
      'expired',
      {
        runners: [own],
        logs: [{ pod: NAME, lines: [[60, '']], vitals: [-60, 'runner.listeners=1 runner.workers=0'] }],
      },
    ],
    ['that the listeners were blind', 'listener', 'forbidden', { runners: [own], blind: ['autoscalinglisteners'] }],
    ['that the sets were blind', 'listener', 'forbidden', { runners: [own], blind: ['autoscalingrunnersets'] }],
    ['that it has no cap yet', 'room', 'not-asked', { runners: [own] }],
    ['that no evidence is stored', 'evidence', 'not-asked', { runners: [own] }],
  ])('shows %s', (_what, field, value, set) => {
    const reading = read(set)[field] as { readonly observed: Observed<unknown> }
    expect(describeValue(reading.observed)).toEqual(value)
  })

  it('takes a stranger with its id for the runner: its name at GitHub may differ', () => {
    const view = buildRuntimeView(arcFleet({ runners: [{ ...own, github: 'absent' }, { name: 'other' }] }), {
      scaleSets: [],
      labels: [],
    })
    const { fleet } = view
    const stranger = { id: 9001, name: 'renamed', isOnline: true, isBusy: true, labels: [] }
    const changed = { ...view, fleet: { ...fleet, githubRunners: [...fleet.githubRunners, stranger] } }
    const state = view.runners.find(({ runner }) => runner.name === NAME)
    if (state === undefined) throw new Error('there is no such runner')
    expect(candidateReader(changed)(state, terms).github.observed).toMatchObject({ value: { isBusy: true } })
  })

  it.each<readonly [string, readonly (readonly [id: number, isBusy: boolean])[], unknown]>([
    ['its own id', [[9001, false]], { id: 9001, isOnline: true, isBusy: false }],
    [
      "its own id among those of its name, in other organisations'",
      [
        [7, false],
        [9001, false],
      ],
      { id: 9001, isOnline: true, isBusy: false },
    ],
    ['nothing where only another id has its name: GitHub would remove somebody else', [[7, false]], 'unsupported'],
    ['that one of its name works, whatever its id', [[7, true]], { id: 9001, isOnline: true, isBusy: true }],
  ])('takes from GitHub %s', (_what, rows, value) => {
    const view = buildRuntimeView(arcFleet({ runners: [own] }), { scaleSets: [], labels: [] })
    const [state] = view.runners
    if (state === undefined) throw new Error('there is no such runner')
    const githubRunners = rows.map(([id, isBusy]) => ({ id, name: NAME, isOnline: true, isBusy, labels: [] }))
    const [github = null] = githubRunners
    const isBusy = githubRunners.some((row) => row.isBusy)
    const named: typeof state = {
      ...state,
      runner: { ...state.runner, github },
      github: { kind: 'listed', isOnline: true, isBusy },
    }
    const changed = { ...view, fleet: { ...view.fleet, githubRunners } }
    expect(describeValue(candidateReader(changed)(named, terms).github.observed)).toEqual(value)
  })

  it('shows a pod that runs for its job', () => {
    const pods = [
      {
        metadata: { namespace: 'arc', name: `${NAME}-workflow`, labels: { 'runner-pod': NAME } },
        status: { phase: 'Running' },
      },
    ]
    expect(read({ runners: [own], pods }).pod.observed).toMatchObject({ value: { jobPods: [`${NAME}-workflow`] } })
    expect(read({ runners: [{ ...own, pod: null }], pods }).pod.observed).toMatchObject({
      value: { jobPods: [`${NAME}-workflow`] },
    })
  })

  it('has the age of a saved list, and of its vitals', () => {
    const snapshot = read({
      runners: [own],
      logsUntil: { 'github/runners': 300 },
      logs: [{ pod: NAME, lines: [[60, '']], vitals: [15, 'runner.listeners=1 runner.workers=0'] }],
    })
    expect([snapshot.github.at, snapshot.record.at, snapshot.vitals.at]).toEqual([NOW - 300_000, NOW, NOW - 15_000])
  })

  it('names every list that something is concluded from, and why one cannot be empty', () => {
    const { lists } = read({ runners: [own], blind: ['queue'] })
    expect(lists.map(({ source, rows, notEmpty }) => [source, describeValue(rows), notEmpty])).toEqual([
      ['kubernetes/ephemeralrunners', 1, null],
      ['kubernetes/ephemeralrunnersets', 1, null],
      ['kubernetes/autoscalinglisteners', 1, null],
      ['kubernetes/pods', 3, null],
      ['github/runners', 1, 'ready runners: 1'],
      ['github/queued-jobs', 'forbidden', null],
    ])
  })
})
