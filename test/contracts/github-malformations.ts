import { gzipSync } from 'node:zlib'
import type { BlindCode } from '#/core/basics/observed.ts'
import type { Seeded } from '#/sim/github/world/seeded.ts'

/** The correct answer, and the secret that the request carried. */
export type Honest = {
  readonly json: unknown
  readonly required: readonly string[]
  readonly authorization: string
  readonly url: string
  readonly seeded: Seeded
}

/** A wrong answer, and the outcomes that the adapter may return for it. */
export type Malformation = {
  readonly name: string
  readonly codes: readonly BlindCode[]
  readonly bytes: (honest: Honest) => string | Uint8Array
}

type Extra = Readonly<Record<string, string | number>>

export function answer(status: number, body: string | Uint8Array, extra: Extra = {}): Uint8Array {
  const bytes = Buffer.from(body)
  const headers = {
    'content-type': 'application/json',
    'content-length': bytes.byteLength,
    connection: 'close',
    ...extra,
  }
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status} Whatever\r\n${head.join('')}\r\n`), bytes])
}

const HTML = { 'content-type': 'text/html' }
const page = ({ authorization }: Honest) => `<html><body>Sign in, ${authorization}</body></html>`
const echo = ({ authorization }: Honest) =>
  JSON.stringify({ message: `You sent ${authorization} to me`, errors: [authorization] })
const text = ({ json }: Honest) => JSON.stringify(json)
const pick = <T>({ seeded }: Honest, rows: readonly T[]): T => rows[Math.floor(seeded.fraction() * rows.length)]!

/** Every occurrence of one key that the adapter needs gets a value of another type. */
function wrongType(honest: Honest): string {
  const present = honest.required.filter((key) => text(honest).includes(`"${key}":`))
  const chosen = pick(honest, present)
  return JSON.stringify(honest.json, (key, value: unknown) => (key === chosen ? another(value, honest) : value))
}

function another(value: unknown, { authorization }: Honest): unknown {
  if (Array.isArray(value)) return { [authorization]: authorization }
  return typeof value === 'object' ? [authorization] : typeof value === 'string' ? 12 : authorization
}

const cut = (honest: Honest): string =>
  text(honest).slice(0, Math.floor(honest.seeded.fraction() * (text(honest).length - 1)))
const junk = ({ seeded }: Honest, length: number): Uint8Array => Buffer.from(seeded.hex(2 * length), 'hex')

export const MALFORMATIONS: readonly Malformation[] = [
  { name: 'cut JSON', codes: ['malformed'], bytes: (honest) => answer(200, cut(honest)) },
  { name: 'a wrong type', codes: ['malformed'], bytes: (honest) => answer(200, wrongType(honest)) },
  { name: 'a page of a proxy', codes: ['malformed'], bytes: (honest) => answer(200, page(honest), HTML) },
  { name: 'a page of a bad gateway', codes: ['server-error'], bytes: (honest) => answer(502, page(honest), HTML) },
  {
    name: 'a proxy that requires a password',
    codes: ['unauthenticated'],
    bytes: (honest) => answer(407, page(honest), HTML),
  },
  { name: '429 without headers', codes: ['rate-limited'], bytes: (honest) => answer(429, echo(honest)) },
  {
    name: 'a pause of years',
    codes: ['rate-limited'],
    bytes: (honest) => answer(403, echo(honest), { 'retry-after': 1e9 }),
  },
  {
    name: 'a rate limit that is used up forever',
    codes: ['rate-limited'],
    bytes: (honest) =>
      answer(429, echo(honest), { 'x-ratelimit-limit': 1, 'x-ratelimit-remaining': 0, 'x-ratelimit-reset': 1e14 }),
  },
  {
    name: 'a length that is too long',
    codes: ['truncated'],
    bytes: (honest) => answer(200, text(honest), { 'content-length': 99_999 }),
  },
  {
    name: 'a length that is too short',
    codes: ['malformed', 'truncated'],
    bytes: (honest) => answer(200, text(honest), { 'content-length': 3 }),
  },
  {
    name: 'a length that is not a number',
    codes: ['malformed'],
    bytes: (honest) => answer(200, text(honest), { 'content-length': 'many' }),
  },
  {
    name: 'a gigantic body',
    codes: ['too-large'],
    bytes: (honest) => answer(200, `[${' '.repeat(300_000)}]`, { etag: honest.seeded.hex(4) }),
  },
  { name: 'gigantic headers', codes: ['too-large'], bytes: () => answer(200, '{}', { 'x-long': 'x'.repeat(200_000) }) },
  { name: 'a circle of redirects', codes: ['malformed'], bytes: ({ url }) => answer(302, '', { location: url }) },
  {
    name: 'a redirect elsewhere',
    codes: ['malformed'],
    bytes: () => answer(307, '', { location: 'http://127.0.0.2:9/' }),
  },
  {
    name: 'a redirect to a file',
    codes: ['malformed'],
    bytes: () => answer(302, '', { location: 'file:///etc/passwd' }),
  },
  { name: 'a redirect nowhere', codes: ['malformed'], bytes: () => answer(301, '') },
  { name: 'something that is not HTTP', codes: ['malformed', 'unreachable'], bytes: (honest) => junk(honest, 300) },
  {
    name: 'another protocol',
    codes: ['malformed', 'unreachable'],
    bytes: ({ authorization }) => `SSH-2.0-OpenSSH ${authorization}\r\n`,
  },
  { name: 'silence', codes: ['unreachable'], bytes: () => '' },
  { name: 'half a head', codes: ['unreachable'], bytes: () => 'HTTP/1.1 200 OK\r\ncontent-ty' },
  {
    name: 'broken chunks',
    codes: ['malformed', 'truncated'],
    bytes: () => 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n{}',
  },
  { name: 'an unasked 304', codes: ['malformed'], bytes: () => answer(304, '') },
  { name: 'nothing', codes: ['malformed'], bytes: () => answer(204, '') },
  {
    name: 'an error that echoes',
    codes: ['server-error'],
    bytes: (honest) => answer(pick(honest, [500, 502, 503]), echo(honest)),
  },
  { name: 'a refused token', codes: ['unauthenticated'], bytes: (honest) => answer(401, echo(honest)) },
  {
    name: 'a refusal that echoes',
    codes: ['forbidden'],
    bytes: (honest) => answer(403, echo(honest), { 'x-accepted-github-permissions': honest.authorization }),
  },
  { name: 'an invalid request', codes: ['unsupported'], bytes: (honest) => answer(422, echo(honest)) },
  { name: 'an unknown status', codes: ['malformed'], bytes: (honest) => answer(418, echo(honest)) },
  {
    name: 'a compressed body',
    codes: ['malformed'],
    bytes: (honest) => answer(200, gzipSync(text(honest)), { 'content-encoding': 'gzip' }),
  },
  { name: 'junk', codes: ['malformed'], bytes: (honest) => answer(200, junk(honest, 500)) },
  {
    name: 'JSON of another kind',
    codes: ['malformed'],
    bytes: (honest) => answer(200, pick(honest, ['null', '42', '"text"', 'true'])),
  },
  { name: 'JSON without end', codes: ['malformed'], bytes: () => answer(200, '['.repeat(20_000)) },
  { name: 'deep JSON', codes: ['malformed'], bytes: () => answer(200, `${'['.repeat(9000)}1${']'.repeat(9000)}`) },
  {
    name: 'a prototype',
    codes: ['malformed'],
    bytes: () => answer(200, '{"__proto__":{"total_count":0,"id":1},"constructor":{}}'),
  },
]
