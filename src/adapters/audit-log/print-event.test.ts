import { describe, expect, it } from 'vitest'
import { readAuditLogLine } from '#/core/kubernetes/audit-log-facts.ts'
import { auditLogEvent } from '#test/recorder/audit-log-event.ts'
import { HOSTILE_REQUESTS } from '#test/recorder/hostile-evidence.ts'
import { printEvent } from './print-event.ts'

const options = { gracePeriodSeconds: 0, preconditions: { uid: 'uid-a' } }
const event = auditLogEvent({ at: 1_794_976_000_000, requestObject: options })

describe('an audit event', () => {
  it('is printed whole where it has the size of one', () => {
    expect(JSON.parse(printEvent(event))).toEqual(event)
  })

  it.each(Object.entries(HOSTILE_REQUESTS))('with %s is printed in short, with every fact', (_, make) => {
    const body: unknown = JSON.parse(make())
    const hostile = { ...event, requestObject: { ...options, more: body }, impersonatedUser: { extra: body } }
    const printed = printEvent(hostile)
    expect(printed.length).toBeLessThan(16 * 1024)
    expect(readAuditLogLine(JSON.parse(printed))).toEqual(readAuditLogLine(event))
  })

  it('keeps why it was refused, although the pod that it asked for is large', () => {
    const responseStatus = { code: 403, status: 'Failure', message: 'admission webhook "x" denied the request: no' }
    const printed = printEvent({
      ...event,
      verb: 'create',
      responseStatus,
      requestObject: { spec: 'x'.repeat(20_000) },
    })
    expect(readAuditLogLine(JSON.parse(printed))?.refusal).toBe(responseStatus.message)
  })

  it('has no field that is longer than any name', () => {
    const printed = printEvent({ ...event, userAgent: 'x'.repeat(1_000_000) })
    expect(printed.length).toBeLessThan(16 * 1024)
  })
})
