import { backoffMs } from '#/core/basics/backoff.ts'
import type { Clock } from '#/ports/clock.ts'
import { StoreUnavailable } from '#/ports/store/store-unavailable.ts'
import type { Wakeups } from '#/ports/store/wakeups.ts'
import { reachable } from '#/adapters/postgres/connection/pool-fault.ts'
import { WAKE_CHANNEL } from '#/adapters/postgres/connection/wake-channel.ts'
import { openSession } from '#/adapters/postgres/connection/pool-session.ts'
import type { Session } from '#/adapters/postgres/connection/pool-session.ts'

/** What a listener receives when anything may have changed. */
export const EVERY_SCOPE = '*'

const BEAT_EVERY_MS = 15_000
const BEAT_TIMEOUT_MS = 10_000
const RETRY = { firstMs: 250, mostMs: 15_000 }

export type WakeupsRequest = { readonly connectionString: string; readonly clock: Clock }

/** Listening settles after the first attempt to connect; a lost connection is made again until `stop`. */
export function postgresWakeups(request: WakeupsRequest): Wakeups {
  return {
    listen: async (onWake) => {
      const stopping = new AbortController()
      const listening = { ...request, onWake, signal: stopping.signal }
      const running = keepListening(listening, await tryListening(listening))
      const stop = async () => {
        stopping.abort()
        await running
      }
      return { stop }
    },
  }
}

type Listening = WakeupsRequest & { readonly onWake: (scope: string) => void; readonly signal: AbortSignal }

async function keepListening(listening: Listening, first: Session | null): Promise<void> {
  const { clock, signal } = listening
  const stopped = new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
  let session = first
  let failures = 0
  while (!signal.aborted) {
    if (session === null) {
      await clock.sleep(backoffMs(RETRY, failures), signal)
      failures += 1
      session = await tryListening(listening)
      // What was notified while nobody listened is lost.
      if (session !== null) listening.onWake(EVERY_SCOPE)
    } else {
      await Promise.race([session.ended, stopped])
      await session.close('no longer listening')
      session = null
      failures = 0
    }
  }
  await session?.close('no longer listening')
}

async function tryListening(listening: Listening): Promise<Session | null> {
  let session: Session | undefined
  try {
    session = await openSession({
      ...listening,
      applicationName: 'signalbox wakeups',
      beatEveryMs: BEAT_EVERY_MS,
      beatTimeoutMs: BEAT_TIMEOUT_MS,
    })
    const { client } = session
    client.on('notification', ({ payload }) => listening.onWake(payload || EVERY_SCOPE))
    await reachable(async () => await client.query(`listen ${WAKE_CHANNEL}`))
    session.keepBeating(async () => void (await client.query('select 1')))
    return session
  } catch (error) {
    await session?.close('could not listen')
    if (error instanceof StoreUnavailable) return null
    throw error
  }
}
