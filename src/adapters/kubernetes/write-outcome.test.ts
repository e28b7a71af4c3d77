import { describe, expect, it } from 'vitest'
import { blind } from '#/core/basics/observed.ts'
import { declined } from './reply.ts'
import { toOutcome } from './write-outcome.ts'

function answered(status: number, body: object | string): ReturnType<typeof toOutcome> {
  const text = typeof body === 'string' ? body : JSON.stringify({ kind: 'Status', code: status, ...body })
  return toOutcome(declined({ status, headers: {}, body: Buffer.from(text) }, 'PATCH /x'), 'PATCH /x')
}

const OTHER_UID = { details: { causes: [{ reason: 'FieldValueInvalid', field: 'metadata.uid' }] } }
const BUDGET = { details: { causes: [{ reason: 'DisruptionBudget' }] } }

describe('the outcome of a write', () => {
  it.each([
    [400, { reason: 'BadRequest' }, { kind: 'refused' }],
    [401, { reason: 'Unauthorized' }, { kind: 'blind', applied: 'no' }],
    [403, { reason: 'Forbidden' }, { kind: 'forbidden' }],
    [404, { reason: 'NotFound' }, { kind: 'gone' }],
    [404, '404 page not found', { kind: 'blind', applied: 'no' }],
    [409, { reason: 'AlreadyExists' }, { kind: 'conflict', why: 'exists' }],
    [409, { reason: 'Conflict' }, { kind: 'conflict', why: 'changed' }],
    [422, { reason: 'Invalid' }, { kind: 'refused' }],
    [422, OTHER_UID, { kind: 'conflict', why: 'changed' }],
    [429, { reason: 'TooManyRequests' }, { kind: 'blind', applied: 'no', reason: { code: 'rate-limited' } }],
    [429, BUDGET, { kind: 'refused' }],
    [403, '<html>', { kind: 'blind', applied: 'no', reason: { code: 'forbidden' } }],
    [500, { reason: 'InternalError' }, { kind: 'blind', applied: 'unknown' }],
    [502, '<html>', { kind: 'blind', applied: 'unknown' }],
    [504, { reason: 'Timeout' }, { kind: 'blind', applied: 'unknown', reason: { code: 'timeout' } }],
  ])('for %i %j', (status, body, outcome) => {
    expect(answered(status, body)).toMatchObject(outcome)
  })

  it('is unknown where the request may have arrived, and no where it cannot have', () => {
    const lost = blind('unreachable', 'gone')
    expect(toOutcome({ ...lost, sent: true }, 'x')).toMatchObject({ kind: 'blind', applied: 'unknown' })
    expect(toOutcome({ ...lost, sent: false }, 'x')).toMatchObject({ kind: 'blind', applied: 'no' })
  })

  it('is done with or without the object', () => {
    const success = { kind: 'Status', status: 'Success' }
    expect(toOutcome({ kind: 'ok', value: success }, 'x')).toEqual({ kind: 'done', object: null })
    const object = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', uid: 'u', resourceVersion: '1' } }
    expect(toOutcome({ kind: 'ok', value: object }, 'x')).toEqual({ kind: 'done', object })
    expect(toOutcome({ kind: 'ok', value: { hello: 1 } }, 'x')).toMatchObject({ kind: 'blind', applied: 'unknown' })
  })
})
