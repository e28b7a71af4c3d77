import { describe, expect, it } from 'vitest'

import { openDossier } from '#/core/why/dossier.ts'
import { findStopActor, weighRequests, howStopped } from './stop-actor.ts'
import type { Evidence } from '#/core/why/evidence.ts'
import {
  makeAudit,
  makeCondition,
  endedPod,
  eventFact,
  makeEvidence,
  journalFact,
  makePod,
  second,
} from '#test/why/evidence.ts'

const dossier = (changes: Partial<Evidence>) => openDossier(makeEvidence({ pod: endedPod(143), ...changes }))
const PROBE = journalFact('probe-failed', { text: '"SyncLoop (probe)" probe="liveness"' })
const KARPENTER = eventFact('karpenter-evicts')
const KUBELET = eventFact('preempted-for-critical-pod')
const marked = { pod: makePod({ deletedAt: second(601), graceSeconds: 30 }) }

describe('who ended the runner', () => {
  it.each([
    [
      'is the user in the audit log, whatever component executed it',
      { auditLog: [makeAudit()], clues: [KARPENTER, PROBE] },
      'user:alice',
    ],
    ['is a controller before the kubelet, which only executes', { clues: [KUBELET, KARPENTER] }, 'karpenter'],
    ['is the kubelet if no other is named', { clues: [KUBELET] }, 'kubelet'],
    ['is not known from a mark in the object', marked, null],
    ['is named by another source next to such a mark', { ...marked, clues: [KARPENTER] }, 'karpenter'],
    ['is null without a request', {}, null],
  ] satisfies readonly (readonly [string, Partial<Evidence>, string | null])[])('%s', (_what, changes, actor) => {
    expect(findStopActor(dossier(changes))).toBe(actor)
  })
})

describe('how it was ended', () => {
  it.each([
    ['by a person', { auditLog: [makeAudit()] }, ' by user:alice'],
    ['by the kubelet for a probe', { clues: [PROBE] }, ' by the kubelet, because its liveness probe failed,'],
    ['by the kubelet for something else', { clues: [KUBELET] }, ' by kubelet'],
    ['by a user, although a probe failed too', { auditLog: [makeAudit()], clues: [PROBE] }, ' by user:alice'],
    ['by an unknown actor', {}, ''],
  ] satisfies readonly (readonly [string, Partial<Evidence>, string])[])('%s', (_what, changes, text) => {
    expect(howStopped(dossier(changes))).toBe(text)
  })
})

describe('what supports a graceful end', () => {
  it('is weighed by how reliably each source shows the requester', () => {
    const disrupted = { conditions: [makeCondition('DisruptionTarget', { reason: 'EvictionByEvictionAPI' })] }
    const points = weighRequests(
      dossier({ pod: endedPod(143, {}, disrupted), auditLog: [makeAudit()], clues: [KARPENTER, PROBE] }),
    )
    const weights = new Map(
      points.map((point) => [point.kind === 'for' ? point.fact.source : '', point.kind === 'for' ? point.weight : 0]),
    )
    const order = ['kubernetes/audit', 'kubernetes/events', 'journal/n1', 'kubernetes/pods']
    const heavy = order.map((source) => weights.get(source) ?? 0)
    expect(heavy).toEqual(heavy.toSorted((a, b) => b - a))
    expect(new Set(heavy).size).toBe(order.length)
  })
})
