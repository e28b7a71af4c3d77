import { describe, expect, it } from 'vitest'
import { quotesSecret } from './quotes-secret.ts'

const base64 = (text: string): string => Buffer.from(text).toString('base64')
const dataWith = (registry: object) => ({
  '.dockerconfigjson': base64(JSON.stringify({ auths: { 'ghcr.io': registry } })),
})
const OLD = { '.dockercfg': base64(JSON.stringify({ 'ghcr.io': { auth: base64('bot:s3cr') } })) }

describe('An answer of the API server', () => {
  it.each([
    ['the password', 'refused: hunter2-long', dataWith({ password: 'hunter2-long' }), true],
    ['a password that is shorter than a piece', 'refused: hunt2', dataWith({ password: 'hunt2' }), true],
    ['what only auth holds', 'refused: hunter2-long', dataWith({ auth: base64('bot:hunter2-long') }), true],
    ['a short password that only auth holds', 'refused: hunt2', dataWith({ auth: base64('bot:hunt2') }), true],
    ['the older form', 'refused: s3cr', OLD, true],
    ['something longer than is searched', 'x'.repeat(2001), dataWith({ password: 'hunter2-long' }), true],
    ['nothing of it', 'User "someone" cannot patch', dataWith({ auth: base64('bot:hunt2') }), false],
    ['nothing, where there is no password', 'no', dataWith({}), false],
    ['nothing of what is no JSON', 'no', { '.dockerconfigjson': base64('{') }, false],
  ] as const)('quotes %s', (_, message, data, expected) => {
    expect(quotesSecret(message, data)).toBe(expected)
  })
})
