import { describe, expect, it } from 'vitest'
import { describeBreak, describeFailure } from './describe-failure.ts'

function withCode(code: string, cause?: unknown): Error {
  return Object.assign(new Error('it quotes Bearer some-token', { cause }), { code })
}

const TABLE: readonly (readonly [string, string, boolean])[] = [
  ['ECONNREFUSED', 'unreachable', false],
  ['ENOTFOUND', 'unreachable', false],
  ['ECONNRESET', 'unreachable', true],
  ['UND_ERR_SOCKET', 'unreachable', true],
  ['UND_ERR_CONNECT_TIMEOUT', 'timeout', false],
  ['ETIMEDOUT', 'timeout', true],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'unreachable', false],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'unreachable', false],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'unreachable', false],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'unreachable', true],
  ['HPE_INVALID_CONSTANT', 'malformed', true],
  ['UND_ERR_HEADERS_OVERFLOW', 'too-large', true],
  ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'truncated', true],
  ['SOMETHING_NEW', 'unreachable', true],
]

describe('a failure of the network', () => {
  it.each(TABLE)('%s is %s, sent: %s', (code, blind, sent) => {
    const failure = describeFailure(withCode(code), 'GET host/path')
    expect(failure).toMatchObject({ sent, reason: { code: blind } })
    expect(failure.reason.detail).toMatch(/^GET host\/path: .+\(.+\)$/u)
    expect(failure.reason.detail).not.toContain('some-token')
  })

  it('is named by its innermost cause', () => {
    const wrapped = new Error('fetch failed', { cause: withCode('UND_ERR_SOCKET', withCode('ECONNREFUSED')) })
    expect(describeFailure(wrapped, 'x').reason.detail).toContain('ECONNREFUSED')
  })

  it('in the middle of an answer leaves a part of it', () => {
    expect(describeBreak(withCode('UND_ERR_SOCKET'), 'x').code).toBe('truncated')
    expect(describeBreak(withCode('ETIMEDOUT'), 'x').code).toBe('timeout')
  })

  it('is not what our own mistakes are: they stay exceptions', () => {
    const faults = [new TypeError('x is not a function'), withCode('UND_ERR_INVALID_ARG'), withCode('ERR_INVALID_URL')]
    for (const fault of faults) expect(() => describeFailure(fault, 'x')).toThrow(fault)
  })
})
