import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Agent, request } from 'undici'

/**
 * Callers of the API that mean no good, in a process of their own: they must not slow down what is measured. Prints the
 * answers by status when it is stopped.
 */
const number = { type: 'string', default: '0' } as const
const options = {
  url: { type: 'string' },
  bodies: number,
  connections: number,
  rejudges: number,
  rate: number,
} as const
const { values } = parseArgs({ options, strict: true })
const url = new URL(values.url ?? '')
const DRIP_MS = 1000
const PATHS = [
  '/v1/deaths?limit=100',
  '/readyz?verbose',
  '/metrics',
  '/v1/deaths?kind=death&limit=1000',
  '/v1/openapi.json',
]
const answers: Record<string, number> = {}
const count = (what: string): unknown => (answers[what] = (answers[what] ?? 0) + 1)
const over = new AbortController()
const isOver = (): boolean => over.signal.aborted

/** Sends its text, then a byte a second, reads nothing, and comes back when it is cut off. */
async function drip(what: string, text: string): Promise<void> {
  await sleep(Math.random() * DRIP_MS)
  while (!isOver()) {
    const socket = connect(Number(url.port), url.hostname)
    socket.on('error', () => undefined)
    socket.pause()
    socket.write(text)
    count(`${what} opened`)
    while (!socket.closed && !isOver()) {
      await sleep(DRIP_MS)
      socket.write('x')
    }
    socket.destroy()
  }
}

const agent = new Agent({ connections: 200 })

async function ask(path: string, method: 'GET' | 'POST' = 'GET'): Promise<string> {
  try {
    const { statusCode, body } = await request(`${url.origin}${path}`, { method, dispatcher: agent })
    const text = await body.text()
    count(String(statusCode))
    return text
  } catch (error) {
    count(error instanceof Error && 'code' in error ? String(error.code) : 'failed')
    return ''
  }
}

/** Details and evidence of the latest deaths, among the lists. */
async function askAll(perSecond: number): Promise<void> {
  let uids: readonly string[] = []
  const start = performance.now()
  for (let asked = 0; !isOver(); asked += 1) {
    if (asked % perSecond === 0) {
      void ask('/v1/deaths?limit=20').then((text) => {
        uids = [...text.matchAll(/"uid":"([^"]+)"/g)].map(([, uid = '']) => uid)
      })
    }
    const uid = uids[asked % Math.max(1, uids.length)] ?? 'none'
    const all = [...PATHS, `/v1/deaths/${uid}`, `/v1/deaths/${uid}/evidence`]
    void ask(all[asked % all.length] ?? '/')
    // On a clock: pauses of equal length add up to fewer requests than were asked for.
    await sleep(Math.max(0, start + ((asked + 1) * 1000) / perSecond - performance.now()))
  }
}

/** Waits for its answer, and asks again. */
async function rejudge(): Promise<void> {
  while (!isOver()) {
    await ask('/v1/deaths/rejudge?limit=1000', 'POST')
    await sleep(DRIP_MS)
  }
}

process.once('SIGTERM', () => {
  over.abort()
  process.stdout.write(`${JSON.stringify(answers)}\n`, () => process.exit(0))
})
const times = (amount: string, begin: () => Promise<void>): void => {
  for (let made = 0; made < Number(amount); made += 1) void begin()
}
const head = `Host: ${url.host}\r\nContent-Type: application/json\r\n`
const body = `POST /v1/deaths/rejudge?limit=1000 HTTP/1.1\r\n${head}Content-Length: 1000000\r\n\r\n`
times(values.bodies, () => drip('bodies', body))
times(values.connections, () => drip('connections', 'GET /v1/deaths HTTP/1.1\r\nX: '))
times(values.rejudges, rejudge)
if (Number(values.rate) > 0) void askAll(Number(values.rate))
process.stdout.write('loading\n')
