import { describe, expect, it } from 'vitest'
import { readEvent } from '#/core/kubernetes/event-facts.ts'
import { readWorkflowJob } from '#/core/github/workflow-job-facts.ts'
import { planContainers, findTargets, isNamedAfter, plannedRunner, tracesOfEvents, tracesOfRunners } from './targets.ts'
import type { FoundPods } from './targets.ts'

const pod = (name: string, uid: string, changes: object = {}) => ({
  metadata: { name, namespace: 'runners', uid, creationTimestamp: '2026-06-06T21:00:00Z', ...changes },
  spec: { nodeName: 'n1', containers: [{ name: 'runner' }] },
})
const everywhere: FoundPods = { pods: [], traces: [], namespaces: null, uid: null }
const named = (name: string) => [{ name, job: null }]

function found(wanted: Parameters<typeof findTargets>[0], pods: Partial<FoundPods>) {
  return findTargets(wanted, { ...everywhere, ...pods }).map(({ subject, isLive }) => {
    return `${subject.namespace}/${subject.pod} ${subject.uid} on ${subject.node}${isLive ? '' : ', gone'}`
  })
}

describe('the runner that is asked for', () => {
  const pods = [pod('a', 'u1'), pod('a-b', 'u2'), pod('a', 'u3', { namespace: 'other' })]

  it.each([
    ['a-b', 'runners/a-b u2 on n1'],
    ['a-b-x7', 'runners/a-b u2 on n1'],
  ])('%s is %s', (name, expected) => {
    expect(found(named(name), { pods })).toEqual([expected])
  })

  it('is looked for in its namespaces only', () => {
    expect(found(named('a'), { pods, namespaces: new Set(['other']) })).toEqual(['other/a u3 on n1'])
    expect(found(named('a'), { pods, namespaces: new Set(['elsewhere']) })).toEqual([])
  })

  it('is the youngest of several pods of its name, unless one of them is meant', () => {
    const older = pod('a', 'old', { namespace: 'other' })
    const younger = pod('a', 'young', { creationTimestamp: '2026-06-06T22:00:00Z' })
    for (const both of [
      [older, younger],
      [younger, older],
    ]) {
      expect(found(named('a'), { pods: both })).toEqual(['runners/a young on n1'])
      expect(found(named('a'), { pods: both, uid: 'old' })).toEqual(['other/a old on n1'])
    }
  })

  it('is gone where only somebody kept it', () => {
    const kept = pod('a', 'u1', { annotations: { 'signalbox.dev/last-seen': '2026-06-06T21:30:00Z' } })
    expect(found(named('a'), { pods: [kept], uid: 'u1' })).toEqual(['runners/a u1 on n1, gone'])
  })

  it('is known by its traces when the pod is gone', () => {
    const events = [
      { reason: 'Scheduled', involvedObject: { kind: 'Pod', namespace: 'runners', name: 'gone', uid: 'u9' } },
      {
        reason: 'Killing',
        source: { host: 'n7' },
        involvedObject: { kind: 'Pod', namespace: 'runners', name: 'gone', uid: 'u9' },
      },
      { reason: 'X', source: { host: 'n8' }, involvedObject: { kind: 'Node', name: 'gone' } },
    ]
    expect(found(named('gone-x1'), { traces: tracesOfEvents(events.map(readEvent)) })).toEqual([
      'runners/gone u9 on n7, gone',
    ])
    const runners = [{ metadata: { namespace: 'runners', name: 'gone' } }, { metadata: { name: 'x' } }]
    expect(found(named('gone'), { traces: tracesOfRunners(runners) })).toEqual(['runners/gone null on null, gone'])
  })

  it('has its node from the words of the scheduler', () => {
    const message = 'Successfully assigned runners/gone to n3'
    const involvedObject = { kind: 'Pod', namespace: 'runners', name: 'gone', uid: 'u9' }
    expect(tracesOfEvents([readEvent({ message, involvedObject })])).toMatchObject([{ node: 'n3', uid: 'u9' }])
  })

  it('is not the pod that was made after its job had begun', () => {
    const job = readWorkflowJob({ id: 1, runner_name: 'a', started_at: '2026-06-06T20:00:00Z' })
    expect(found([{ name: 'a', job }], { pods: [pod('a', 'u1')] })).toEqual([])
  })

  it('is counted once, whatever leads to it', () => {
    expect(found([...named('a-b'), ...named('a-b-x1')], { pods })).toHaveLength(1)
  })
})

describe('the containers of a pod', () => {
  it('are all of them, in their order, with those that ran before', () => {
    const status = (name: string, restartCount: number) => ({ name, restartCount })
    const object = {
      spec: {
        initContainers: [{ name: 'prepare' }],
        containers: [{ name: 'runner' }, { name: 'dind' }],
        ephemeralContainers: [{ name: 'debug' }],
      },
      status: { initContainerStatuses: [status('prepare', 0)], containerStatuses: [status('runner', 2)] },
    }
    expect(planContainers(object).map(({ name, wasRestarted }) => [name, wasRestarted])).toEqual([
      ['prepare', false],
      ['runner', true],
      ['dind', false],
      ['debug', false],
    ])
    expect(planContainers({})).toEqual([])
  })

  it.each([
    [['dind', 'runner'], 'runner'],
    [['main'], 'main'],
    [['a', 'b'], null],
    [[], null],
  ])('of %j the runner is in %s', (names, expected) => {
    const plans = names.map((name) => ({ name, role: 'main' as const, image: null, wasRestarted: false }))
    expect(plannedRunner(plans)).toBe(expected)
  })
})

describe('the name of a runner', () => {
  it.each([
    ['a', 'a', true],
    ['a-x', 'a', true],
    ['ab', 'a', false],
    ['a', '', false],
    ['a', null, false],
  ])('%s comes from the pod %s: %s', (runner, name, expected) => {
    expect(isNamedAfter(runner, name)).toBe(expected)
  })
})
