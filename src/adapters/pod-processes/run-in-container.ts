import type { Duplex } from 'node:stream'
import { describeBreak } from '#/adapters/http/describe-failure.ts'
import { startDeadline } from '#/adapters/http/deadline.ts'
import type { Deadline } from '#/adapters/http/deadline.ts'
import { createFrameReader, writePong } from '#/adapters/http/web-socket-frames.ts'
import type { Message } from '#/adapters/http/web-socket-frames.ts'
import { apiPath } from '#/adapters/kubernetes/api-path.ts'
import type { KubernetesConnection } from '#/adapters/kubernetes/connect.ts'
import { declined } from '#/adapters/kubernetes/reply.ts'
import { parseJson } from '#/core/evidence/bundle-json.ts'
import { textAt } from '#/core/basics/fields.ts'
import { blind, seen } from '#/core/basics/observed.ts'
import type { Observed } from '#/core/basics/observed.ts'
import type { Clock } from '#/ports/clock.ts'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'

export type ExecMeans = { readonly kubernetes: Pick<KubernetesConnection, 'upgrade'>; readonly clock: Clock }

export type ExecRequest = {
  readonly namespace: string
  readonly pod: string
  readonly container: string
  readonly command: readonly string[]
}

const PROTOCOLS = ['v5.channel.k8s.io', 'v4.channel.k8s.io']
const TIMEOUT_MS = 15_000
const MOST_BYTES = 4 * 1024 * 1024
/** The first byte of each message says what it is. */
const [OUTPUT, STATUS] = [1, 3]

/** What a command in a container prints, if it succeeds, in bounded time and memory. Nothing is sent to it. */
export async function runInContainer(
  { kubernetes, clock }: ExecMeans,
  request: ExecRequest,
  signal: AbortSignal,
): Promise<Observed<string>> {
  const { namespace, pod, container, command } = request
  const path = apiPath({ resource: RESOURCES.pods, namespace, name: pod, subresource: 'exec' })
  const query = new URLSearchParams([
    ['container', container],
    ['stdout', 'true'],
    ['stderr', 'false'],
    ...command.map((part): [string, string] => ['command', part]),
  ])
  const what = `exec in ${namespace}/${pod} (${container})`
  using deadline = startDeadline(clock, TIMEOUT_MS, signal)
  const call = { path: `${path}?${query.toString()}`, protocols: PROTOCOLS, timeoutMs: TIMEOUT_MS }
  const answer = await kubernetes.upgrade(call, deadline.signal)
  if (answer.kind === 'blind') return { kind: 'blind', reason: answer.reason }
  if (answer.kind === 'answered') return { kind: 'blind', reason: declined(answer, what).reason }
  return readOutput(answer.socket, { what, deadline })
}

async function readOutput(
  socket: Duplex,
  { what, deadline }: { readonly what: string; readonly deadline: Deadline },
): Promise<Observed<string>> {
  const stop = (): void => void socket.destroy()
  deadline.signal.addEventListener('abort', stop, { once: true })
  if (deadline.signal.aborted) stop()
  const frames = createFrameReader(MOST_BYTES)
  const conclude = createConclusion(what)
  try {
    for await (const chunk of socket) {
      for (const message of frames.take(chunk as Buffer)) {
        if (message.kind === 'ping') socket.write(writePong(message.payload))
        const result = conclude(message)
        if (result !== null) return result
      }
    }
    return ended(deadline, what) ?? blind('truncated', `${what}: it ended without a result`)
  } catch (error) {
    return ended(deadline, what) ?? describeFault(error, what)
  } finally {
    deadline.signal.removeEventListener('abort', stop)
    socket.on('error', () => {})
    socket.destroy()
  }
}

/** Takes the messages until there is a result. */
function createConclusion(what: string): (message: Message) => Observed<string> | null {
  const output: Buffer[] = []
  let bytes = 0
  return ({ kind, payload }) => {
    if (kind === 'close') return blind('truncated', `${what}: it ended without a result`)
    if (kind !== 'data') return null
    if (payload[0] === STATUS) return readResult(payload.toString('utf8', 1), Buffer.concat(output), what)
    if (payload[0] !== OUTPUT) return null
    bytes += payload.length
    if (bytes > MOST_BYTES) return blind('too-large', `${what}: it printed more than ${MOST_BYTES} bytes`)
    output.push(payload.subarray(1))
    return null
  }
}

/** The server says at the end how the command ended. */
function readResult(status: string, output: Buffer, what: string): Observed<string> {
  const reading = parseJson(status)
  const document = reading.kind === 'parsed' ? reading.value : null
  if (textAt(document, 'status') === 'Success') return seen(output.toString('utf8'))
  const message = (textAt(document, 'message') ?? 'it failed').replaceAll(/\s+/g, ' ').slice(0, 300)
  return blind('unsupported', `${what}: ${message}`)
}

function ended(deadline: Deadline, what: string): Observed<string> | null {
  if (!deadline.signal.aborted) return null
  return deadline.expired()
    ? blind('timeout', `${what}: not over within ${TIMEOUT_MS} ms`)
    : blind('stopped', `${what}: given up because we are stopping`)
}

function describeFault(error: unknown, what: string): Observed<string> {
  const isOfNetwork = error instanceof Error && 'code' in error
  if (isOfNetwork) return { kind: 'blind', reason: describeBreak(error, what) }
  return blind('malformed', `${what}: ${error instanceof Error ? error.message : 'a fault'}`)
}
