import { expect, it } from 'vitest'
import { systemClock } from '#/adapters/clock.ts'
import { readPod } from '#/core/kubernetes/pod-facts.ts'
import type { AuditLog } from '#/ports/audit-log.ts'
import { createAnswers } from '#/runtime/collect/request/answers.ts'
import { WHOLE_FLEET } from '#/runtime/collect/request/request.ts'
import { fakeCluster, runnerPod } from '#test/recorder/fake-cluster.ts'
import { AUDIT_LOG_SOURCE } from '#/runtime/collect/sources/audit-log-evidence.ts'
import { addAuditLogEvents } from './add-audit-log-events.ts'

const object = runnerPod({ name: 'a' })
const END = { diedAt: 2000, seenAt: 1000, foundAt: 3000, isGone: true, missed: false, isPending: false, gap: null }
const POD = { uid: 'uid-of-a', object, facts: readPod(object), pool: null, ...END }

/** It says nothing before the signal comes. */
const SLOW: AuditLog = {
  lines: async function* (signal) {
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
    yield* []
  },
}

function reading(signal: AbortSignal) {
  const answers = createAnswers()
  const places = { namespaces: [], isInsideOnly: false, repositories: [], organizations: [] }
  const nothing = {
    subject: null,
    lastSeen: null,
    thisNode: null,
    github: null,
    gitlab: null,
    hosts: null,
    logStore: null,
    githubUrl: '',
    fleet: WHOLE_FLEET,
  }
  const window = { since: null, until: null }
  const { kubernetes } = fakeCluster()
  const given = { kubernetes, audit: SLOW, clock: systemClock, logBytes: 1, signal, progress: () => {} }
  const means = { answers, request: { ...nothing, ...given, places, window } }
  return { answers, added: addAuditLogEvents({ files: new Map(), answers }, POD, means) }
}

it('is blind for an audit log that is not read in time, so that the death is judged all the same', async () => {
  const { answers, added } = reading(AbortSignal.timeout(1))
  await added
  expect(answers.sources().get(AUDIT_LOG_SOURCE)).toMatchObject({
    kind: 'blind',
    reason: expect.stringContaining('in time') as string,
  })
})

it('gives up when we are stopped, and leaves the death to whoever starts next', async () => {
  const stopping = new AbortController()
  const { answers, added } = reading(stopping.signal)
  stopping.abort()
  await expect(added).rejects.toThrow('aborted')
  expect(answers.sources().has(AUDIT_LOG_SOURCE)).toBe(false)
})
