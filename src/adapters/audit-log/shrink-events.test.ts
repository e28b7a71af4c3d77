import { describe, expect, it } from 'vitest'
import { auditLogEvent } from '#test/recorder/audit-log-event.ts'
import { shrinkEvents } from './shrink-events.ts'

const LIST = { kind: 'EventList', apiVersion: 'audit.k8s.io/v1' }
const shrunk = (value: unknown): unknown => shrinkEvents(new TextEncoder().encode(JSON.stringify(value)))

describe('a batch of audit events', () => {
  it('keeps of each event what the recorder keeps', () => {
    const removal = auditLogEvent({ at: 1, requestObject: { gracePeriodSeconds: 0 } })
    const creation = auditLogEvent({ at: 2, verb: 'create', requestObject: { spec: {} } })
    const { requestObject: _left, ...rest } = creation
    expect(shrunk({ ...LIST, metadata: {}, items: [removal, creation] })).toEqual({ ...LIST, items: [removal, rest] })
  })

  it.each([
    ['text that is not JSON', '{'],
    ['a document without items', '{"kind":"EventList"}'],
    ['too many events', `{"items":[${'{},'.repeat(100_000)}{}]}`],
  ])('is nothing for %s', (_, text) => {
    expect(shrinkEvents(new TextEncoder().encode(text))).toBeNull()
  })

  it('leaves it to the reader to refuse what is no event', () => {
    expect(shrunk({ ...LIST, items: [[], 'x', null] })).toEqual({ ...LIST, items: [null, null, null] })
  })
})
