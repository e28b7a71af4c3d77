import type { ServerResponse } from 'node:http'

/** A number from 0 to 1, the same series for the same seed. */
export type Random = () => number

export function seededRandom(seed: number): Random {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

export type Malady = {
  readonly name: string
  /** True if the answer is complete and has a success status: as plain text it is valid. */
  readonly wholeText: boolean
  /** `sound` is the correct JSON. */
  readonly answer: (response: ServerResponse, sound: string, random: Random) => void
}

const HTML = '<!DOCTYPE html><html><body><h1>Sign in to continue</h1></body></html>'
export const HUGE_BYTES = 200_000

/** What proxies, overloaded servers and broken connections do. */
export const MALADIES: readonly Malady[] = [
  whole('cut JSON', (sound, random) => sound.slice(0, 1 + Math.floor(random() * (sound.length - 1)))),
  whole('wrong types', (sound, random) => withWrongTypes(sound, random)),
  whole('garbage', (_, random) =>
    String.fromCodePoint(...Array.from({ length: 40 }, () => 33 + Math.floor(random() * 90))),
  ),
  whole('JSON that is no object', (_, random) => pick(random, ['null', '[]', '42', '"text"', 'true'])),
  whole('another object', () => '{"hello":"world"}'),
  whole('deep JSON', () => `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`),
  status('HTML with a success', 200, { type: 'text/html', body: HTML }),
  status('an empty body', 200, { type: 'application/json', body: '' }),
  status('a redirect', 302, {
    type: 'text/html',
    body: HTML,
    headers: { location: 'https://login.example.test/?token=abc' },
  }),
  status('403 in HTML', 403, { type: 'text/html', body: HTML }),
  status('404 in HTML', 404, { type: 'text/html', body: HTML }),
  status('429 without headers', 429, { type: '', body: '' }),
  status('429 with a mad Retry-After', 429, {
    type: 'text/plain',
    body: 'slow down',
    headers: { 'retry-after': 'tomorrow' },
  }),
  status('502 in HTML', 502, { type: 'text/html', body: HTML }),
  status('503 without a body', 503, { type: '', body: '' }),
  status('500 with cut JSON', 500, { type: 'application/json', body: '{"kind":"Status","code":5' }),
  status('a Status of wrong types', 500, {
    type: 'application/json',
    body: '{"kind":"Status","code":"x","message":[1],"details":7}',
  }),
  broken('a body that is shorter than announced', (response, sound) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': String(sound.length + 999) })
    response.write(sound, () => response.destroy())
  }),
  broken('chunks that break off', (response, sound, random) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.write(sound.slice(0, Math.floor(random() * sound.length)) || '{', () => response.destroy())
  }),
  broken('a connection that closes without an answer', (response) => response.destroy()),
  broken('a reset', (response) => response.socket?.resetAndDestroy()),
  broken('something that is not HTTP', (response) => response.socket?.end('SSH-2.0-OpenSSH_9.2\r\n\r\n')),
  broken('headers without end', (response) => {
    response.socket?.write(`HTTP/1.1 200 OK\r\nx-a: ${'a'.repeat(100_000)}\r\n\r\n`, () => response.destroy())
  }),
  broken('a flood', (response) => {
    response.writeHead(500, { 'content-type': 'application/json' })
    response.end('x'.repeat(HUGE_BYTES))
  }),
  broken('an answer that never begins', () => undefined),
]

function whole(name: string, make: (sound: string, random: Random) => string): Malady {
  return {
    name,
    wholeText: true,
    answer: (response, sound, random) => {
      response.writeHead(200, { 'content-type': 'text/plain' })
      response.end(make(sound, random))
    },
  }
}

type Said = { readonly type: string; readonly body: string; readonly headers?: Readonly<Record<string, string>> }

function status(name: string, code: number, { type, body, headers }: Said): Malady {
  return {
    name,
    wholeText: code === 200,
    answer: (response) => {
      response.writeHead(code, { ...(type === '' ? {} : { 'content-type': type }), ...headers })
      response.end(body)
    },
  }
}

function broken(name: string, answer: Malady['answer']): Malady {
  return { name, wholeText: false, answer }
}

export function pick<T>(random: Random, from: readonly T[]): T {
  const chosen = from[Math.floor(random() * from.length)]
  if (chosen === undefined) throw new Error('nothing to pick from')
  return chosen
}

/** Changes one of the fields that every reader needs. */
function withWrongTypes(sound: string, random: Random): string {
  const wrong = pick(random, ['7', '[]', '{"a":1}', 'null'])
  const fields = [
    'metadata',
    'object',
    'items',
    'resourceVersion',
    'uid',
    'name',
    'allowed',
    'authenticated',
    'username',
  ]
  const present = fields.filter((field) => sound.includes(`"${field}":`))
  if (present.length === 0) return wrong
  const value = JSON.parse(sound) as Record<string, unknown>
  const field = pick(random, present)
  return JSON.stringify(value, (key, inner: unknown) => (key === field ? (JSON.parse(wrong) as unknown) : inner))
}
