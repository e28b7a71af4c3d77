import { describe, expect, it } from 'vitest'
import { findFinding, listenerEvent, runtimeFindings, traps } from '#test/fleets/arc-set.ts'
import { controllerLog } from '#test/fleets/arc-logs.ts'
import type { RunnerCase, SetCase } from '#test/fleets/arc-set.ts'
import { ago } from '#test/fleets/build-fleet.ts'

const idle: RunnerCase = { name: 'lane-x7k2p-runner-aaaaa' }
const busy: RunnerCase = { name: 'lane-x7k2p-runner-bbbbb', job: true, github: 'busy' }
const WEDGED = ['rollover-wedged lane', 'stale-idle-listener-blocker lane']
const FLYING = ['rollover-in-flight lane']
const MISSING = ['listener-missing lane']

/** A set of each version whose listener was removed for a change. */
const changing = (version: string): SetCase => ({
  version,
  listener: false,
  listenerPod: false,
  ...(/^0\.1[23]/.test(version) ? {} : { phase: 'Pending' }),
})

const VERSIONS = ['0.12.1', '0.13.1', '0.14.2', '0.15.0'] as const
const HEAD: SetCase = { ...changing('0.14.2'), set: { annotations: { 'actions.github.com/integrity-hash': 'a' } } }
const GENERATIONS = [...VERSIONS.map((version) => [version, changing(version)] as const), ['head', HEAD] as const]

describe.each(GENERATIONS)('a set of %s without a listener that is changing', (_version, own) => {
  it.each<readonly [string, SetCase, readonly string[]]>([
    ['is wedged over idle runners', { runners: [idle] }, WEDGED],
    [
      'is wedged only by its record where GitHub is blind',
      { runners: [idle], blind: ['github', 'queue'] },
      WEDGED.slice(0, 1),
    ],
    ['is in flight while a runner has a job on record', { runners: [idle, busy] }, FLYING],
    ['is in flight while one that is terminating has a job', { runners: [idle, { ...busy, deleted: 60 }] }, FLYING],
    ['is in flight for two minutes after a runner came', { runners: [{ ...idle, age: 120 }] }, FLYING],
    ['is wedged two minutes after the last change', { runners: [{ ...idle, age: 121, pod: { age: 121 } }] }, WEDGED],
    ['is in flight for two minutes after a pod came', { runners: [{ ...idle, pod: { age: 120 } }] }, FLYING],
    ['is in flight while an object goes', { runners: [idle, { ...idle, name: 'x', deleted: 60 }] }, FLYING],
    ['is no wedge if no runner remains', { runners: [] }, MISSING],
    [
      'is no wedge over failed runners alone',
      { runners: [{ ...idle, status: { phase: 'Failed', ready: undefined }, pod: null, github: 'absent' }] },
      [...MISSING, 'failed-runners-hold-capacity lane'],
    ],
  ])('%s', (_title, more, expected) => {
    expect(traps({ ...own, ...more })).toEqual(expected)
  })

  it('is in flight, and the job at risk, if only GitHub knows of the job', () => {
    expect(traps({ ...own, runners: [{ ...idle, github: 'busy' }] })).toEqual([
      `assigned-job-at-risk ${idle.name}`,
      ...FLYING,
    ])
  })
})

describe('a set that changes', () => {
  const wedge: SetCase = { ...changing('0.14.2'), runners: [idle] }
  const line = (age: number) =>
    controllerLog([
      age,
      'INFO\tAutoscalingRunnerSet\tCreating a new AutoscalingListener is waiting for the running and pending runners to finish.\t{"autoscalingrunnerset": {"name":"lane","namespace":"arc"}, "running": 1}',
    ])
  const changed = (seconds: number) => ({
    metadata: { managedFields: [{ manager: 'helm', time: ago(seconds * 1000) }] },
  })

  it.each<readonly [string, SetCase, readonly string[]]>([
    ['by its managedFields', { ...wedge, set: changed(120) }, FLYING],
    ['not by managedFields of before', { ...wedge, set: changed(121) }, WEDGED],
    ['by the log of the controller', { ...wedge, logs: [line(120)] }, FLYING],
    ['not by a line of before', { ...wedge, logs: [line(121)] }, WEDGED],
    ['by the events of its listener', { ...wedge, events: [listenerEvent(100, 'a')] }, FLYING],
    ['not by events of before', { ...wedge, events: [listenerEvent(121, 'a')] }, WEDGED],
    [
      'not by a line about something else',
      {
        ...wedge,
        logs: [
          controllerLog([
            10,
            'INFO\tAutoscalingRunnerSet\tReconciling\t{"autoscalingrunnerset": {"name":"lane","namespace":"arc"}}',
          ]),
        ],
      },
      WEDGED,
    ],
    [
      'by a container that just began',
      { ...wedge, runners: [{ ...idle, pod: { state: { running: { startedAt: ago(120_000) } } } }] },
      FLYING,
    ],
    [
      'by events of its listener wherever no controller is known',
      { ...wedge, controller: false, events: [listenerEvent(100, 'a')] },
      FLYING,
    ],
    [
      'not by those of a controller that serves others',
      { ...wedge, controller: { watches: 'elsewhere' }, events: [listenerEvent(100, 'a')] },
      WEDGED,
    ],
    ['by its phase with a listener', { phase: 'Pending' }, FLYING],
    [
      'not where its listener has no pod and nothing moves',
      { phase: 'Pending', listenerPod: false, runners: [idle] },
      MISSING,
    ],
    ['where its listener has no pod and a job runs', { phase: 'Pending', listenerPod: false, runners: [busy] }, FLYING],
    [
      'where its listener has no pod since a moment',
      { phase: 'Pending', listenerPod: false, runners: [{ ...idle, age: 60 }] },
      FLYING,
    ],
    [
      'by two generations under phase Running',
      { runnerSets: [{ name: 'lane-x7k2p' }, { name: 'lane-old', age: 90_000, deleted: 30 }] },
      FLYING,
    ],
    [
      'by a generation that the controller has not seen',
      { version: '0.15.0', set: { metadata: { generation: 3 }, status: { observedGeneration: 2 } } },
      FLYING,
    ],
    [
      'by a revision that is not applied',
      {
        version: '0.15.0',
        runnerSets: [{ spec: { actionableRevision: 4 }, status: { appliedActionableRevision: 3 } }],
      },
      FLYING,
    ],
    [
      'not by a revision that is applied',
      {
        version: '0.15.0',
        runnerSets: [{ spec: { actionableRevision: 4 }, status: { appliedActionableRevision: 4 } }],
      },
      [],
    ],
    [
      'not by the generation that the controller has seen',
      { version: '0.15.0', set: { metadata: { generation: 3 }, status: { observedGeneration: 3 } } },
      [],
    ],
    ['not by a generation alone, which older ones do not observe', { set: { metadata: { generation: 3 } } }, []],
    [
      'not by a missing listener under phase Running',
      { listener: false, listenerPod: false, runners: [idle] },
      MISSING,
    ],
    ['not if only its counts are wrong', { set: { status: { currentRunners: 0, pendingEphemeralRunners: 7 } } }, []],
    [
      'a moment after its listener went under immediate',
      { listener: false, listenerPod: false, events: [listenerEvent(60, 'a')] },
      FLYING,
    ],
    [
      'no longer a minute after that',
      { listener: false, listenerPod: false, events: [listenerEvent(61, 'a')] },
      MISSING,
    ],
    ['not if its listeners could not be read', { ...wedge, blind: ['autoscalinglisteners'] }, []],
    ['not if its runners could not be read', { ...wedge, blind: ['ephemeralrunners'] }, []],
    ['not while the set itself goes', { ...wedge, set: { deleted: 30 } }, []],
    ['not on a parked set', { ...wedge, phase: 'Outdated' }, ['runner-outdated lane']],
  ])('is reported %s', (_title, own, expected) => {
    expect(traps(own)).toEqual(expected)
  })
})

describe('the evidence of a rollover', () => {
  const evidence = (own: SetCase) => findFinding(own, 'rollover-in-flight')?.evidence

  it('lists the generations and the terminating ones', () => {
    const old = { name: 'lane-old', age: 90_000 }
    expect(evidence({ runnerSets: [{}, { ...old, deleted: 30 }] })).toEqual([
      '2 EphemeralRunnerSets: lane-x7k2p, lane-old (terminating: lane-old)',
    ])
    expect(evidence({ runnerSets: [{}, old] })).toEqual(['2 EphemeralRunnerSets: lane-x7k2p, lane-old'])
  })

  it('names ten runners and counts the rest', () => {
    const many = Array.from({ length: 11 }, (_, index) => ({ ...busy, name: `r${index}` }))
    const own = { ...changing('0.14.2'), runners: many }
    expect(evidence(own)?.at(-1)).toBe('runners with a job (11): r0, r1, r2, r3, r4, r5, r6, r7, r8, r9 and 1 more')
    expect(evidence({ ...own, runners: many.slice(1) })?.at(-1)).toMatch(/\(10\): .* r10$/)
  })
})

describe('the way out of a wedge', () => {
  const hint = (own: SetCase) =>
    findFinding({ ...own, runners: [idle, { name: 'lane-x7k2p-runner-ccccc' }] }, 'rollover-wedged')?.hint

  it.each(['0.12.1', '0.13.1', '0.14.2'])('of %s scales the generation to 0', (version) => {
    expect(hint(changing(version))).toMatch(
      /^signalbox reap --policy wedge --set arc\/lane \(--apply frees it\); by hand: /,
    )
    expect(hint(changing(version))).toContain(
      `kubectl -n arc patch ephemeralrunnerset lane-x7k2p --type=merge -p '{"spec":{"replicas":0,"patchID":0}}'`,
    )
  })

  it.each([
    ['head', HEAD],
    ['0.15.0', changing('0.15.0')],
  ])('of %s deletes all idle runners at once', (version, own) => {
    expect(hint(own)).toContain('kubectl -n arc delete ephemeralrunner lane-x7k2p-runner-aaaaa lane-x7k2p-runner-ccccc')
    expect(hint(own)).not.toContain('replicas')
    expect(hint(own)?.includes('nothing else protects')).toBe(version === '0.15.0')
  })

  it('checks each runner first, and has the gates of all', () => {
    const own = { ...changing('0.14.2'), runners: [idle] }
    expect(hint(own)).toContain('check each runner first')
    const gates = findFinding(own, 'rollover-wedged')?.gates ?? []
    expect(gates.find(({ gate }) => gate === 'github-not-busy')?.holds).toBe(true)
    expect(gates.find(({ gate }) => gate === 'no-worker-process')?.holds).toBe(false)
  })

  it('differs for an idle runner of a wedged set and one to leave alone', () => {
    const ofSet = runtimeFindings({ ...changing('0.14.2'), runners: [idle] }).find(
      (one) => one.class === 'idle-no-job-runner',
    )
    expect(ofSet).toMatchObject({
      subject: { name: 'lane' },
      hint: expect.stringContaining('rollover-wedged') as string,
    })
    const idleHint = (own: SetCase) =>
      runtimeFindings(own).find((one) => one.class === 'idle-no-job-runner' && one.subject.name === idle.name)?.hint
    expect(idleHint({ ...changing('0.14.2'), runners: [idle] })).toContain('rollover-wedged')
    expect(idleHint({ runners: [idle] })).toContain('leave it alone')
  })
})
