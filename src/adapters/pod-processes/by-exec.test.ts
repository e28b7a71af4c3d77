import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { systemClock } from '#/adapters/clock.ts'
import { redact } from '#/adapters/redaction/redact.ts'
import type { Clock } from '#/ports/clock.ts'
import { connectWith } from '#test/contracts/kubernetes-means.ts'
import { processesByExec } from './by-exec.ts'

const CONTAINER = { namespace: 'ns', pod: 'r1', uid: 'u1', node: 'n1', container: 'runner' }
const { signal: unhurried } = new AbortController()
const stat = (pid: number): string => `${pid} (x) S 1 ${'0 '.repeat(17)}500 99\n`
const SUCCESS = '{"status":"Success"}'

type Talk = (say: (channel: number, text: string) => void, socket: Socket, mark: string) => void

/** The two answers of an API server: an upgrade with what it says, or a refusal. */
async function serve(
  answer: Talk | { readonly status: number; readonly body: object },
  protocol = 'v5.channel.k8s.io',
) {
  const asked: IncomingMessage[] = []
  const sockets = new Set<Socket>()
  const server = createServer()
  server.on('upgrade', (request: IncomingMessage, socket: Socket) => {
    asked.push(request)
    sockets.add(socket)
    socket.on('error', () => {})
    if (typeof answer !== 'function') {
      const body = JSON.stringify(answer.body)
      socket.end(
        `HTTP/1.1 ${answer.status} No\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      )
      return
    }
    const proof = createHash('sha1').update(
      `${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`,
    )
    const head = [
      'HTTP/1.1 101 Switching',
      'upgrade: websocket',
      'connection: upgrade',
      `sec-websocket-protocol: ${protocol}`,
    ]
    socket.write(`${[...head, `sec-websocket-accept: ${proof.digest('base64')}`].join('\r\n')}\r\n\r\n`)
    const say = (channel: number, text: string): void => {
      const payload = Buffer.concat([Buffer.from([channel]), Buffer.from(text)])
      const length = Buffer.alloc(2)
      length.writeUInt16BE(payload.length)
      socket.write(Buffer.concat([Buffer.from([0x82, 126]), length, payload]))
    }
    const mark = new URL(request.url ?? '', 'http://x').searchParams.getAll('command').at(-1) ?? ''
    answer(say, socket, mark)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const credentials = {
    kind: 'ready',
    server: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    headers: { authorization: 'Bearer t' },
    tls: {},
    proxyUrl: null,
    namespace: null,
  } as const
  const kubernetes = connectWith({ current: async () => credentials, renew: async () => credentials })
  return {
    asked,
    read: (clock: Clock = systemClock, signal = unhurried) =>
      processesByExec({ kubernetes, clock, redact })(CONTAINER, signal),
    reader: processesByExec({ kubernetes, clock: systemClock, redact }),
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      await kubernetes[Symbol.asyncDispose]()
      server.close()
    },
  }
}

const listing = (mark: string): string =>
  `\n${mark} uptime\n10.00 1.00\n\n${mark} process\n${stat(1)}/home/runner/run.sh\0\n${mark} end\n`

const code = (code: string) => ({ kind: 'blind', reason: { code } })

describe('the processes of a container, by pods/exec', () => {
  it.each(['v5.channel.k8s.io', 'v4.channel.k8s.io'])('are what its script prints, by %s', async (protocol) => {
    await using server = await serve((say, socket, mark) => {
      const [start, rest] = [listing(mark).slice(0, 20), listing(mark).slice(20)]
      say(1, start)
      socket.write(Buffer.from([0x89, 0]))
      say(2, 'a warning')
      say(1, rest)
      say(3, SUCCESS)
    }, protocol)
    expect(await server.read()).toEqual({
      kind: 'seen',
      value: '    PID    PPID ELAPSED COMMAND\n1 1 5 /home/runner/run.sh\n',
    })
    const { pathname, searchParams } = new URL(server.asked[0]?.url ?? '', 'http://x')
    expect([pathname, searchParams.get('container'), searchParams.get('stdin')]).toEqual([
      '/api/v1/namespaces/ns/pods/r1/exec',
      'runner',
      null,
    ])
    expect(server.asked[0]?.headers.authorization).toBe('Bearer t')
  })

  it('are forbidden without the right, and asked for once in a namespace', async () => {
    const body = { kind: 'Status', code: 403, reason: 'Forbidden', message: 'cannot get resource "pods/exec"' }
    await using server = await serve({ status: 403, body })
    const twice = [await server.reader(CONTAINER, unhurried), await server.reader(CONTAINER, unhurried)]
    expect(twice).toMatchObject([code('forbidden'), code('forbidden')])
    expect(server.asked.length).toBe(1)
    const other = await server.reader({ ...CONTAINER, namespace: 'other' }, unhurried)
    expect([other, server.asked.length]).toMatchObject([code('forbidden'), 2])
  })

  it.each<readonly [string, string, Talk]>([
    ['unsupported', 'the container has no sh', (say) => say(3, '{"status":"Failure","message":"sh: not found"}')],
    ['truncated', 'the connection ends', (_say, socket) => void socket.end()],
    ['truncated', 'the server closes it', (_say, socket) => void socket.write(Buffer.from([0x88, 0]))],
    [
      'truncated',
      'the list is cut',
      (say, _socket, mark) => {
        say(1, listing(mark).slice(0, -3))
        say(3, SUCCESS)
      },
    ],
    ['malformed', 'it sends no frames', (_say, socket) => void socket.write('HTTP/1.1 200 OK\r\n\r\n')],
    [
      'too-large',
      'it prints too much',
      (say) => {
        for (let sent = 0; sent < 100; sent += 1) say(1, 'x'.repeat(60_000))
      },
    ],
  ])('are %s where %s', async (expected, _title, talk) => {
    await using server = await serve(talk)
    expect(await server.read()).toMatchObject(code(expected))
  })

  it('are malformed where the server chooses a protocol that was not offered', async () => {
    await using server = await serve((say) => say(3, SUCCESS), 'v1.other')
    expect(await server.read()).toMatchObject(code('malformed'))
  })

  it('are a timeout where the command hangs', async () => {
    const { promise: hanging, resolve } = Promise.withResolvers<void>()
    await using server = await serve(() => resolve())
    const clock: Clock = { ...systemClock, sleep: () => hanging }
    expect(await server.read(clock)).toMatchObject(code('timeout'))
  })

  it('stop on the signal', async () => {
    const stop = new AbortController()
    await using server = await serve(() => stop.abort())
    expect(await server.read(systemClock, stop.signal)).toMatchObject(code('stopped'))
  })
})
