import { DatabaseError } from 'pg'
import { describe, expect, it } from 'vitest'
import { StoreUnavailable } from '#/ports/store/store-unavailable.ts'
import { classifyFault, reachable } from './pool-fault.ts'

function state(code: string): DatabaseError {
  const error = new DatabaseError('said the server', 0, 'error')
  error.code = code
  return error
}
function socket(code: string): Error {
  return Object.assign(new Error(`connect ${code}`), { code })
}

describe('a fault of the pool', () => {
  it.each([
    ...[
      '08006',
      '57P01',
      '57P02',
      '57P03',
      '53300',
      '53100',
      '57014',
      '25006',
      '25P03',
      '25P04',
      '58030',
      '28P01',
      '3D000',
    ].map(state),
    ...['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'ENOTFOUND', 'EPIPE', 'ENOENT'].map(socket),
    ...['CERT_HAS_EXPIRED', 'ERR_TLS_CERT_ALTNAME_INVALID', 'SELF_SIGNED_CERT_IN_CHAIN'].map(socket),
    new Error('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string'),
    new AggregateError([socket('ECONNREFUSED'), socket('ENETUNREACH')]),
    new Error('Connection terminated unexpectedly'),
    new Error('timeout exceeded when trying to connect'),
    new Error('Query read timeout'),
    new StoreUnavailable('so it was said'),
  ])('is the server being unavailable: %s', (error) => {
    expect(classifyFault(error)).toBe('unavailable')
  })

  it.each(['40001', '40P01', '55P03'].map(state))('is a conflict with another transaction: %s', (error) => {
    expect(classifyFault(error)).toBe('conflict')
  })

  it.each([
    ...['23505', '42P01', '22012', ''].map(state),
    new AggregateError([socket('ECONNREFUSED'), new Error('ours')]),
    new TypeError('x is not a function'),
    'a string',
    undefined,
  ])('is our own otherwise: %s', (error) => {
    expect(classifyFault(error)).toBe('other')
  })

  it('reaches the caller in the words of the port, with its cause, unless it is our own', async () => {
    const cause = socket('ECONNREFUSED')
    const thrown: unknown = await reachable(async () => await Promise.reject(cause)).catch((error: unknown) => error)
    expect(thrown).toBeInstanceOf(StoreUnavailable)
    expect(thrown).toMatchObject({ code: 'STORE_UNAVAILABLE', cause })
    const ours = new TypeError('ours')
    await expect(reachable(async () => await Promise.reject(ours))).rejects.toBe(ours)
  })
})
