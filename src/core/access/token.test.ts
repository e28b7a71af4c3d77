import { describe, expect, it } from 'vitest'
import { allows } from './role.ts'
import { isTokenName, tokenState } from './token.ts'
import { parseTokensFile, printTokenLine } from './tokens-file.ts'

describe('roles', () => {
  it('operate includes read, and read does not include operate', () => {
    expect([allows('operate', 'read'), allows('operate', 'operate'), allows('read', 'read')]).toEqual([
      true,
      true,
      true,
    ])
    expect(allows('read', 'operate')).toBe(false)
  })
})

describe('a token', () => {
  it('is valid until the moment that it expires, or is revoked', () => {
    expect(tokenState({ expiresAt: 100, revokedAt: null }, 99)).toBe('valid')
    expect(tokenState({ expiresAt: 100, revokedAt: null }, 100)).toBe('expired')
    expect(tokenState({ expiresAt: null, revokedAt: null }, 1e15)).toBe('valid')
    expect(tokenState({ expiresAt: 100, revokedAt: 50 }, 200)).toBe('revoked')
  })

  it.each([
    ['ci', true],
    ['Grafana-2.read_only', true],
    ['-x', false],
    ['a b', false],
    ['', false],
    ['x'.repeat(63), true],
    ['x'.repeat(64), false],
    ['a\nb', false],
  ])('may be named %j: %s', (name, expected) => {
    expect(isTokenName(name)).toBe(expected)
  })
})

const DIGEST = 'ab'.repeat(32)

describe('a file of tokens', () => {
  it('has a token per line, with comments and empty lines', () => {
    const text = `# for CI\nci read ${DIGEST} 2027-01-31T00:00:00.000Z # until then\r\n\n  ops operate ${DIGEST} never\n`
    const read = parseTokensFile(text)
    const ci = { name: 'ci', role: 'read' as const, digest: DIGEST, expiresAt: Date.parse('2027-01-31') }
    const ops = { name: 'ops', role: 'operate' as const, digest: DIGEST, expiresAt: null }
    expect(read).toEqual({ tokens: [ci, ops] })
    expect(parseTokensFile(`${printTokenLine(ci)}\n${printTokenLine(ops)}`)).toEqual(read)
    expect(parseTokensFile('')).toEqual({ tokens: [] })
  })

  it.each([
    ['too few words', `ci read ${DIGEST}`, 'line 1: a line is NAME ROLE SHA256 EXPIRES'],
    ['too many words', `ci read ${DIGEST} never again`, 'line 1: a line is'],
    ['another role', `\nci admin ${DIGEST} never`, 'line 2: the role of ci must be read or operate'],
    ['a strange name', `c/i read ${DIGEST} never`, 'line 1: a name has'],
    ['a strange time', `ci read ${DIGEST} tomorrow`, 'line 1: the expiry of ci must be a time'],
    ['a name twice', `ci read ${DIGEST} never\nci read ${DIGEST} never`, 'line 2: the name ci is used twice'],
  ])('is unusable with %s', (_, text, fault) => {
    expect(parseTokensFile(text)).toEqual({ fault: expect.stringContaining(fault) as string })
  })

  it('does not repeat a token that somebody put into it by mistake', () => {
    const fault = JSON.stringify(parseTokensFile('ci read sbx_secret never'))
    expect(fault).toContain('SHA-256')
    expect(fault).not.toContain('sbx_secret')
  })

  it('is bounded', () => {
    const lines = Array.from({ length: 501 }, (_, index) => `t${index} read ${DIGEST} never`)
    expect(parseTokensFile(lines.slice(1).join('\n'))).toMatchObject({ tokens: { length: 500 } })
    expect(parseTokensFile(lines.join('\n'))).toEqual({ fault: 'it has more than 500 tokens' })
  })
})
