import { Socket } from 'node:net'
import { Client } from 'pg'
import type { Clock } from '#/ports/clock.ts'
import { StoreUnavailable } from '#/ports/store/store-unavailable.ts'
import { reachable } from './pool-fault.ts'

const CONNECT_TIMEOUT_MS = 10_000
const GOODBYE_MS = 1000

export type SessionRequest = {
  readonly connectionString: string
  readonly applicationName: string
  readonly clock: Clock
  readonly beatEveryMs: number
  readonly beatTimeoutMs: number
  /** Ends the attempt to connect; a session that is open is ended by its `close`. */
  readonly signal: AbortSignal
}
/** A separate connection that notices when it is dead, also without an error from the socket. */
export type Session = {
  readonly client: Client
  /** Why it can no longer be trusted. Resolves once. */
  readonly ended: Promise<string>
  /** From now on asks the server regularly; an error, or no answer in time, ends the session. */
  readonly keepBeating: (beat: (client: Client) => Promise<void>) => void
  readonly close: (why: string) => Promise<void>
}

export async function openSession(request: SessionRequest): Promise<Session> {
  const { clock, signal } = request
  if (signal.aborted) throw new StoreUnavailable('stopped before connecting')
  // Our own socket, so that a server that does not answer cannot keep us from letting go of it.
  const socket = new Socket()
  const client = new Client({
    connectionString: request.connectionString,
    application_name: request.applicationName,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    // Before the beats begin nothing else notices a server that stopped answering.
    query_timeout: 2 * request.beatTimeoutMs,
    keepAlive: true,
    stream: () => socket,
  })
  const { promise: ended, resolve } = Promise.withResolvers<string>()
  const over = new AbortController()
  const end = (why: string) => {
    over.abort()
    resolve(why)
  }
  client.on('error', (error) => end(error.message))
  client.on('end', () => end('the connection was closed'))
  const giveUp = () => void socket.destroy()
  signal.addEventListener('abort', giveUp, { once: true })
  try {
    await reachable(async () => await client.connect())
  } finally {
    signal.removeEventListener('abort', giveUp)
  }
  const close = async (why: string) => {
    end(why)
    await Promise.race([client.end().catch(() => undefined), clock.sleep(GOODBYE_MS)])
    socket.destroy()
  }
  const keepBeating = (beat: (client: Client) => Promise<void>) => {
    void beatUntilOver({ ...request, client, beat, signal: over.signal }).then(close)
  }
  return { client, ended, keepBeating, close }
}

type Beating = SessionRequest & {
  readonly client: Client
  readonly beat: (client: Client) => Promise<void>
}

async function beatUntilOver(beating: Beating): Promise<string> {
  const { clock, signal } = beating
  while (!signal.aborted) {
    await clock.sleep(beating.beatEveryMs, signal)
    if (signal.aborted) break
    const failure = await beatOnce(beating)
    if (failure !== null) return failure
  }
  return 'the connection was closed'
}

async function beatOnce({ client, beat, beatTimeoutMs, clock }: Beating): Promise<string | null> {
  const answered = new AbortController()
  const late = clock
    .sleep(beatTimeoutMs, answered.signal)
    .then(() => `the server did not answer within ${beatTimeoutMs} ms`)
  const answer = beat(client).then(
    () => null,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  )
  const failure = await Promise.race([answer, late])
  answered.abort()
  return failure
}
