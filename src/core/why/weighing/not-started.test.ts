import { describe, expect, it } from 'vitest'

import type { PodFacts } from '#/core/kubernetes/pod-facts.ts'
import { openDossier } from '#/core/why/dossier.ts'
import type { Evidence } from '#/core/why/evidence.ts'
import {
  budgetSpent,
  condition,
  endedAtOnce,
  failedInit,
  isOwnMount,
  neverStarted,
  refusedByAdmission,
  scheduledFacts,
  stuckCreating,
  waiting,
} from './not-started.ts'
import {
  RUNNING,
  makeCondition,
  makeContainer,
  ended,
  endedPod,
  makeEvent,
  makeEvidence,
  logFact,
  looking,
  makePod,
  second,
} from '#test/why/evidence.ts'

const dossier = (changes: Partial<Evidence>) => openDossier(makeEvidence(changes))
const waits = (reason: string | null, message: string | null = null) => ({ kind: 'waiting', reason, message }) as const

describe('a container that waits', () => {
  it('is reported with reason and message', () => {
    const pod = makePod({
      containers: [makeContainer({ state: waits('ErrImagePull', 'denied') }), makeContainer({ name: 'b' })],
    })
    expect(waiting(dossier({ pod }), /Image/)).toMatchObject([
      { text: 'container runner is waiting: ErrImagePull: denied' },
    ])
  })

  it('is ignored with another reason, or if it does not wait', () => {
    const pod = makePod({
      containers: [
        makeContainer({ state: waits('ContainerCreating') }),
        makeContainer({ state: waits(null) }),
        makeContainer(),
      ],
    })
    expect(waiting(dossier({ pod }), /Image/)).toEqual([])
    expect(waiting(dossier({ pod: makePod() }), /^$/)).toEqual([])
    expect(waiting(dossier({}), /Image/)).toEqual([])
  })
})

describe('a condition of the pod', () => {
  const pod = makePod({
    conditions: [
      makeCondition('Ready', { status: 'False' }),
      makeCondition('PodScheduled', { status: 'False', reason: 'Unschedulable' }),
    ],
  })

  it('is found by type and status', () => {
    expect(condition(dossier({ pod }), 'PodScheduled', 'False')).toMatchObject([
      { text: 'PodScheduled is False: Unschedulable' },
    ])
    expect(condition(dossier({ pod }), 'PodScheduled', 'True')).toEqual([])
    expect(condition(dossier({}), 'PodScheduled', 'False')).toEqual([])
  })
})

describe('a pod that was scheduled', () => {
  it.each([
    ['says so itself', { pod: makePod() }, 1],
    ['does not say so without a node', { pod: makePod({ node: null }) }, 0],
    ['is shown by the scheduler', { events: [makeEvent({ reason: 'Scheduled' })] }, 1],
    ['is not shown by other events', { events: [makeEvent({ reason: 'FailedScheduling' })] }, 0],
    ['is not shown by events of others', { events: [makeEvent({ reason: 'Scheduled', kind: 'Job' })] }, 0],
  ] satisfies readonly (readonly [string, Partial<Evidence>, number])[])('%s', (_what, changes, count) => {
    expect(scheduledFacts(dossier(changes))).toHaveLength(count)
  })
})

describe('a pod that the kubelet refused', () => {
  const failed = (reason: string, message: string | null = null) => ({
    pod: makePod({ phase: 'Failed', reason, message }),
  })
  const said = (reason: string, message = '', kind = 'Pod') => ({ events: [makeEvent({ reason, message, kind })] })

  it.each([
    ['for lack of resources', failed('OutOfcpu'), 1],
    ['for its affinity', failed('NodeAffinity'), 1],
    ['for any unexpected reason', failed('UnexpectedAdmissionError', 'quota'), 1],
    [
      'for a device that failed, which is the fault of the node',
      failed('UnexpectedAdmissionError', 'Allocate failed due to no devices'),
      0,
    ],
    [
      'for a device, although an event names resources',
      { ...failed('UnexpectedAdmissionError', 'device plugin'), ...said('OutOfcpu') },
      0,
    ],
    ['not: it was evicted', failed('Evicted'), 0],
    ['by an event', said('OutOfmemory'), 1],
    ['by an event about a device', said('UnexpectedAdmissionError', 'device plugin'), 0],
    ['by an event about something unexpected', said('UnexpectedAdmissionError', 'quota'), 1],
    ['by an event about resources that mentions a plugin', said('OutOfnvidia', 'plugin'), 1],
    ['by an event of another kind', said('OutOfcpu', '', 'Job'), 0],
    ['by another event', said('Scheduled'), 0],
  ] satisfies readonly (readonly [string, Partial<Evidence>, number])[])('%s', (_what, changes, count) => {
    expect(refusedByAdmission(dossier(changes))).toHaveLength(count)
  })
})

describe('a container that never started', () => {
  it.each([
    ['StartError', 1],
    ['ContainerCannotRun', 1],
    ['Error', 0],
  ])('has the reason %s: %i', (reason, count) => {
    expect(neverStarted(dossier({ pod: endedPod(128, { reason }) }))).toHaveLength(count)
  })

  it('has code and message, also from the previous state', () => {
    const last = ended(128, { reason: 'StartError', message: 'exec: not found' })
    const pod = makePod({ containers: [makeContainer({ state: waits('CrashLoopBackOff'), last })] })
    expect(neverStarted(dossier({ pod }))).toMatchObject([
      {
        text: 'container runner ended with exit code 128, StartError: exec: not found',
        fields: { name: 'runner', code: '128' },
      },
    ])
  })
})

describe('an init container that failed', () => {
  const init = makeContainer({ name: 'setup', role: 'init', state: ended(3) })
  const pod = (...containers: PodFacts['containers']) => ({ pod: makePod({ containers }) })

  it.each([
    ['stops a runner that waits', pod(init, makeContainer({ state: waits('PodInitializing') })), 1],
    ['stops a pod without a runner', pod(init), 1],
    ['did not stop a runner that runs', pod(init, makeContainer({ state: RUNNING })), 0],
    ['did not stop a runner that ended', pod(init, makeContainer({ state: ended(1) })), 0],
    ['is none that ended well', pod({ ...init, state: ended(0) }), 0],
    ['is none that runs', pod({ ...init, state: RUNNING }), 0],
    [
      'is no container of another role',
      pod(makeContainer({ name: 'dind', state: ended(3) }), makeContainer({ state: waits('PodInitializing') })),
      0,
    ],
  ])('%s', (_what, changes, count) => {
    expect(failedInit(dossier(changes))).toHaveLength(count)
  })
})

describe('a command that is wrong', () => {
  const at = (exitCode: number, took: number, changes = {}) =>
    endedPod(exitCode, { startedAt: second(100), finishedAt: second(100 + took), ...changes })

  it.each([
    ['ends with 127 at once', { pod: at(127, 15) }, 1],
    ['ends with 126 at once', { pod: at(126, 0) }, 1],
    ['does not end later', { pod: at(127, 16) }, 0],
    ['does not end with another code', { pod: at(1, 1) }, 0],
    ['says no word as a runner', { pod: at(127, 1), clues: [logFact('runner-listening')] }, 0],
    ['is not refused by GitHub', { pod: at(127, 1), clues: [logFact('not-authorized')] }, 0],
    ['is not known without a beginning', { pod: at(127, 1, { startedAt: null }) }, 0],
    ['is not known without an end', { pod: at(127, 1, { finishedAt: null }) }, 0],
    ['is not known while it runs', { pod: makePod() }, 0],
    ['is not known without a container', { pod: makePod({ containers: [] }) }, 0],
    ['is not known without a pod', {}, 0],
  ] satisfies readonly (readonly [string, Partial<Evidence>, number])[])('%s', (_what, changes, count) => {
    expect(endedAtOnce(dossier(changes))).toHaveLength(count)
  })
})

describe('a mount that failed', () => {
  it.each([
    ['secret "x" not found', true],
    ['hostPath type check failed', true],
    ['references non-existent secret key', true],
    ['mount: no such file or directory', true],
    ['timed out waiting for the condition', false],
    ['Multi-Attach error for volume', false],
  ])('%j is what the pod asked for: %s', (text, isOwn) => {
    expect(isOwnMount(logFact('volume-mount-failed', { text }))).toBe(isOwn)
  })
})

describe('a pod that a node accepted and did not start', () => {
  const stuck = {
    now: second(900),
    pod: makePod({
      phase: 'Pending',
      containers: [makeContainer({ state: waits('ContainerCreating') })],
      conditions: [makeCondition('PodScheduled', { since: second(600) })],
    }),
    sources: looking('kubernetes/events'),
  }
  const with_ = (changes: Partial<PodFacts>) => ({ pod: { ...stuck.pod, ...changes } })

  it.each([
    ['for five minutes is stuck', {}, 1],
    [
      'while its init containers wait, too',
      with_({ containers: [makeContainer({ state: waits('PodInitializing') })] }),
      1,
    ],
    ['for less is on its way', { now: second(899) }, 0],
    ['was never given to it', with_({ conditions: [] }), 0],
    [
      'was not given to it',
      with_({ conditions: [makeCondition('PodScheduled', { status: 'False', since: second(0) })] }),
      0,
    ],
    ['waits for its image', with_({ containers: [makeContainer({ state: waits('ImagePullBackOff') })] }), 0],
    ['runs', with_({ containers: [makeContainer()] }), 0],
    ['is making its containers', { events: [makeEvent({ reason: 'Pulling' })] }, 0],
    ['has other events', { events: [makeEvent({ reason: 'Scheduled' })] }, 1],
    ['may have events that nobody read', { sources: new Map() }, 0],
    ['is not known', { pod: null }, 0],
  ] satisfies readonly (readonly [string, Partial<Evidence>, number])[])('%s', (_what, changes, count) => {
    expect(stuckCreating(dossier({ ...stuck, ...changes }))).toHaveLength(count)
  })

  it('mentions other pods of the node that are stuck too', () => {
    const neighbours = ['a', 'b', 'c'].map((name) => makePod({ name, phase: name === 'c' ? 'Running' : 'Pending' }))
    expect(stuckCreating(dossier({ ...stuck, neighbours }))[0]?.text).toContain(
      '5 minutes ago and no container was created; 2 other pods',
    )
    expect(stuckCreating(dossier({ ...stuck, neighbours: neighbours.slice(1) }))[0]?.text).not.toContain('other pods')
  })
})

describe('the budget of the API', () => {
  it.each([
    [{ remaining: 0, limit: 5000 }, 1],
    [{ remaining: 1, limit: 5000 }, 0],
    [null, 0],
  ])('%j is spent: %i', (rateLimit, count) => {
    expect(budgetSpent(dossier({ rateLimit }))).toHaveLength(count)
  })
})
