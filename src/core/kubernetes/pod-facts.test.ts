import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { readAuditLogLine } from './audit-log-facts.ts'
import { readEvent } from './event-facts.ts'
import { readPod } from './pod-facts.ts'
import { readWorkflowJob } from '#/core/github/workflow-job-facts.ts'

describe('reading what other programs wrote', () => {
  it('never fails, whatever the document holds', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        for (const read of [readPod, readEvent, readAuditLogLine, readWorkflowJob])
          expect(() => read(value)).not.toThrow()
      }),
    )
  })

  it('reads 1970 of a container that never started as no time', () => {
    const state = {
      terminated: {
        exitCode: 128,
        reason: 'StartError',
        startedAt: '1970-01-01T00:00:00Z',
        finishedAt: '2026-06-06T21:00:00Z',
      },
    }
    const pod = readPod({ metadata: { name: 'p' }, status: { containerStatuses: [{ name: 'runner', state }] } })
    expect(pod.containers[0]?.state).toMatchObject({ kind: 'terminated', startedAt: null, exitCode: 128 })
  })

  it('finds the limit of a container by name, not by position', () => {
    const spec = {
      containers: [
        { name: 'dind', resources: { limits: { memory: '1Gi' } } },
        { name: 'runner', resources: { limits: { memory: '8Gi' } } },
      ],
    }
    const containerStatuses = [{ name: 'runner', containerID: 'containerd://abc', state: { running: {} } }]
    expect(readPod({ metadata: {}, spec, status: { containerStatuses } }).containers).toMatchObject([
      {
        name: 'runner',
        role: 'main',
        id: 'abc',
        memoryLimit: '8Gi',
        state: { kind: 'running' },
        last: { kind: 'unknown' },
      },
    ])
  })

  it("reads the scheduler's events, which have one time only, and the kubelet's, which have two and a count", () => {
    expect(readEvent({ reason: 'Scheduled', eventTime: '2026-06-06T21:00:00.5Z', firstTimestamp: null })).toMatchObject(
      {
        firstAt: Date.UTC(2026, 5, 6, 21, 0, 0, 500),
        lastAt: Date.UTC(2026, 5, 6, 21, 0, 0, 500),
        count: 1,
      },
    )
    const kubelet = { firstTimestamp: '2026-06-06T21:00:00Z', lastTimestamp: '2026-06-06T21:05:00Z', count: 22 }
    expect(readEvent(kubelet)).toMatchObject({ lastAt: Date.UTC(2026, 5, 6, 21, 5), count: 22 })
  })

  it('reads the grace of a delete from the body or the URL, and counts each request once', () => {
    const line = {
      stage: 'ResponseComplete',
      verb: 'delete',
      user: { username: 'jane' },
      objectRef: { resource: 'pods' },
    }
    expect(readAuditLogLine({ ...line, requestObject: { gracePeriodSeconds: 0 } })).toMatchObject({
      graceSeconds: 0,
      hasBody: true,
    })
    expect(readAuditLogLine({ ...line, requestURI: '/api/v1/x?gracePeriodSeconds=30' })).toMatchObject({
      graceSeconds: 30,
      hasBody: false,
    })
    expect(readAuditLogLine({ ...line, stage: 'RequestReceived' })).toBeNull()
  })
})
