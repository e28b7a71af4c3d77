import { describe, expect, it } from 'vitest'
import { arcFleet } from '#test/fleets/arc-set.ts'
import type { RunnerCase, SetCase } from '#test/fleets/arc-set.ts'
import { describePlan, planReap } from '#test/fleets/reap-case.ts'
import type { ReapTerms } from '#test/fleets/reap-case.ts'

const gone = (name: string, more: Partial<RunnerCase> = {}): RunnerCase => ({
  name,
  github: 'offline',
  pod: null,
  ...more,
})
const three = [gone('a'), gone('b'), gone('c')]
const plan = (own: SetCase, terms: ReapTerms = {}) => describePlan(planReap(arcFleet(own), terms))
const WEDGED: SetCase = {
  phase: 'Pending',
  listener: false,
  listenerPod: false,
  runners: [
    { name: 'a', processes: 'waiting' },
    { name: 'b', processes: 'waiting' },
  ],
}

describe('a plan', () => {
  it('removes what every gate permits, and leaves the steps of the act open', () => {
    const [first] = planReap(arcFleet({ runners: [gone('a')] }), { policies: ['offline'] })
    expect(first?.decision).toBe('would-remove')
    expect(first?.gates.every(({ result }) => result.kind === 'holds')).toBe(true)
    expect(first?.atAct).toEqual(['github-deregistered', 'evidence-stored'])
  })

  it('has nothing to ask of GitHub for a runner that it does not have', () => {
    const own: SetCase = { runners: [gone('a', { github: 'absent' }), { name: 'b' }] }
    const [first] = planReap(arcFleet(own), { policies: ['offline'] })
    expect(first?.gates.find(({ gate }) => gate === 'github-deregistered')?.result.kind).toBe('holds')
    expect(first?.atAct).toEqual(['evidence-stored'])
  })

  it('lists a candidate once per policy', () => {
    const own: SetCase = { runners: [gone('a', { status: { phase: 'Failed' } })] }
    expect(plan(own)).toEqual(['offline a would-remove', 'failed a would-remove'])
  })

  it.each<readonly [string, string, RunnerCase, Partial<SetCase>]>([
    ['a recorded job', 'refused no-job-on-record', gone('a', { job: true }), {}],
    ['a runner that is busy', 'refused github-not-busy', gone('a', { github: 'offline-busy' }), {}],
    [
      'a job that names it',
      'refused github-no-job-names-it',
      gone('a'),
      { jobs: [{ id: 1, status: 'in_progress', runner_name: 'a' }] },
    ],
    ['a worker', 'refused no-worker-process', gone('a', { pod: {}, processes: 'working' }), {}],
    ['a runner that is too young', 'refused old-enough', gone('a', { age: 500 }), {}],
    ['a list of jobs that is blind', 'blind github-no-job-names-it', gone('a'), { blind: ['queue'] }],
    ['processes that nobody read', 'blind no-worker-process', gone('a', { pod: {} }), {}],
    [
      'processes of another container',
      'blind no-worker-process',
      gone('a', { pod: {}, processes: 'another-container' }),
      {},
    ],
    ['listeners that are blind', 'blind listener-known', gone('a'), { blind: ['autoscalinglisteners'] }],
    ['pods that are blind', 'blind no-worker-process', gone('a'), { blind: ['pods'] }],
    [
      'a list of GitHub that is an hour old',
      'blind github-not-busy',
      gone('a'),
      { logsUntil: { 'github/runners': 3600 } },
    ],
    ['no UID', 'blind identity', gone('a', { metadata: { uid: undefined } }), {}],
  ])('stops at %s', (_what, expected, runner, more) => {
    expect(plan({ runners: [runner], ...more }, { policies: ['offline'] })).toEqual([`offline a ${expected}`])
  })

  it('stops at an empty list of GitHub while runners are ready', () => {
    const own: SetCase = { runners: [gone('a', { github: 'absent' })] }
    expect(plan(own, { policies: ['offline'] })).toEqual(['offline a refused complete-read'])
  })

  it('takes the minimum age that is asked for', () => {
    const own: SetCase = { runners: [gone('a', { age: 500 }), gone('b')] }
    expect(plan(own, { policies: ['offline'], minAgeMs: 300_000 })).toEqual([
      'offline a would-remove',
      'offline b would-remove',
    ])
    expect(plan(own, { policies: ['offline'], minAgeMs: 7_200_000 })).toEqual([
      'offline a refused old-enough',
      'offline b refused old-enough',
    ])
  })

  it('demands that a dead runner is offline, and of an idle one only that it is not busy', () => {
    const log = [{ pod: 'a', lines: [[60, 'Error: Conflict. Retrying until reconnected.']] as const }]
    const online: RunnerCase = { name: 'a', processes: 'waiting' }
    expect(plan({ runners: [online], logs: log }, { policies: ['zombie'] })).toEqual([
      'zombie a refused github-not-busy',
    ])
    expect(plan({ runners: [online] }, { policies: ['excess'] })).toEqual(['excess a would-remove'])
  })
})

describe('the cap', () => {
  it('leaves the rest of a run', () => {
    expect(plan({ runners: three }, { policies: ['offline'], cap: { run: 2, set: 9 } })).toEqual([
      'offline a would-remove',
      'offline b would-remove',
      'offline c refused within-cap',
    ])
  })

  it('leaves the rest of a set', () => {
    expect(plan({ runners: three }, { policies: ['offline'], cap: { run: 9, set: 1 } })).toEqual([
      'offline a would-remove',
      'offline b refused within-cap',
      'offline c refused within-cap',
    ])
  })

  it('is not used by what another gate refuses', () => {
    const own: SetCase = { runners: [gone('a', { job: true }), gone('b', { age: 300 }), gone('c')] }
    expect(plan(own, { policies: ['offline'], cap: { run: 1, set: 1 } }).at(-1)).toBe('offline c would-remove')
  })

  it('counts a runner under two policies once', () => {
    const failed = gone('a', { status: { phase: 'Failed' } })
    expect(plan({ runners: [failed] }, { cap: { run: 1, set: 1 } })).toEqual([
      'offline a would-remove',
      'failed a would-remove',
    ])
  })

  it('refuses a wedged set whole if it has no room for all of its runners', () => {
    expect(plan(WEDGED, { policies: ['wedge'], cap: { run: 1, set: 1 } })).toEqual(['wedge lane refused within-cap'])
    expect(plan(WEDGED, { policies: ['wedge'], cap: { run: 2, set: 2 } })).toEqual(['wedge lane would-remove'])
  })

  it('of zero permits nothing', () => {
    expect(plan({ runners: [gone('a')] }, { policies: ['offline'], cap: { run: 0, set: 0 } })).toEqual([
      'offline a refused within-cap',
    ])
  })
})

describe('a wedged set', () => {
  it.each<readonly [string, string, Partial<SetCase>]>([
    [
      'one runner is too young',
      'refused old-enough',
      {
        runners: [
          { name: 'a', processes: 'waiting' },
          { name: 'b', age: 400, processes: 'waiting' },
        ],
      },
    ],
    [
      'one has a worker',
      'refused no-worker-process',
      {
        runners: [
          { name: 'a', processes: 'waiting' },
          { name: 'b', processes: 'working' },
        ],
      },
    ],
    [
      'the processes of one are unknown',
      'blind no-worker-process',
      { runners: [{ name: 'a', processes: 'waiting' }, { name: 'b' }] },
    ],
    ['GitHub is blind', 'blind github-not-busy', { blind: ['github'] }],
    ['the jobs are blind', 'blind github-no-job-names-it', { blind: ['queue'] }],
  ])('stays if %s', (_what, expected, more) => {
    expect(plan({ ...WEDGED, ...more }, { policies: ['wedge'] })).toEqual([`wedge lane ${expected}`])
  })

  it('names the runner that stops it', () => {
    const own: SetCase = {
      ...WEDGED,
      runners: [
        { name: 'a', processes: 'waiting' },
        { name: 'b', processes: 'working' },
      ],
    }
    const [first] = planReap(arcFleet(own), { policies: ['wedge'] })
    const result = first?.gates.find(({ gate }) => gate === 'no-worker-process')?.result
    expect(result).toMatchObject({
      kind: 'refuses',
      reason: expect.stringMatching(/^b: it runs .*Runner\.Worker/) as string,
    })
  })
})
