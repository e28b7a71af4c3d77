import type { Client } from 'pg'
import type { Clock } from '#/ports/clock.ts'
import type { Leadership } from '#/ports/store/leadership.ts'
import { StoreUnavailable } from '#/ports/store/store-unavailable.ts'
import { reachable } from '#/adapters/postgres/connection/pool-fault.ts'
import { openSession } from '#/adapters/postgres/connection/pool-session.ts'
import type { Session } from '#/adapters/postgres/connection/pool-session.ts'

/**
 * The order of these holds the promise "one at a time": a leader that is cut off gives up after at most a beat and its
 * timeout, and only then does the server close the silent session, which frees the lock for another.
 */
const BEAT_EVERY_MS = 4000
const BEAT_TIMEOUT_MS = 4000
const SILENT_SESSION_MS = 20_000
const RETRY_MS = 1000

export type LeadershipRequest = {
  readonly connectionString: string
  /** What is led; the candidates of one name compete. */
  readonly name: string
  /** Who we are, for people who read the table. */
  readonly holder: string
  readonly clock: Clock
}

type Term = NonNullable<Awaited<ReturnType<Leadership['campaign']>>>

/** The lock belongs to a connection of its own and dies with it. The epoch grows with every leader, so that writes of an earlier one can be recognised. */
export function postgresLeadership(request: LeadershipRequest): Leadership {
  return {
    campaign: async (signal) => {
      while (!signal.aborted) {
        const term = await standOnce(request, signal)
        if (term !== null) return term
        await request.clock.sleep(RETRY_MS, signal)
      }
      return null
    },
  }
}

/** Null when the connection could not be had or was lost on the way, or when the campaign was called off. */
async function standOnce(request: LeadershipRequest, signal: AbortSignal): Promise<Term | null> {
  let session: Session | undefined
  try {
    session = await openSession({
      ...request,
      signal,
      applicationName: `signalbox leader ${request.holder}`,
      beatEveryMs: BEAT_EVERY_MS,
      beatTimeoutMs: BEAT_TIMEOUT_MS,
    })
    const { client } = session
    const epoch = await reachable(async () => await winEpoch(client, request, signal))
    if (epoch === null) {
      await session.close('the campaign was called off')
      return null
    }
    session.keepBeating(async () => await renew(client, request, epoch))
    const { ended, close } = session
    return { epoch, lost: ended, resign: async () => await close('resigned') }
  } catch (error) {
    await session?.close('the campaign failed')
    if (error instanceof StoreUnavailable) return null
    throw error
  }
}

async function winEpoch(client: Client, request: LeadershipRequest, signal: AbortSignal): Promise<number | null> {
  await client.query(`
    set statement_timeout = ${BEAT_TIMEOUT_MS};
    set idle_session_timeout = ${SILENT_SESSION_MS};
    set tcp_keepalives_idle = 10;
    set tcp_keepalives_interval = 5;
    set tcp_keepalives_count = 3`)
  while (!signal.aborted) {
    const { rows } = await client.query<{ taken: boolean }>(
      'select pg_try_advisory_lock(hashtextextended($1, 0)) as taken',
      [`signalbox leader ${request.name}`],
    )
    if (rows[0]?.taken === true) return await nextEpoch(client, request)
    await request.clock.sleep(RETRY_MS, signal)
  }
  return null
}

async function nextEpoch(client: Client, { name, holder, clock }: LeadershipRequest): Promise<number> {
  const { rows } = await client.query<{ epoch: string }>(
    `insert into leases (name, holder, epoch, renewed_at) values ($1, $2, 1, $3)
     on conflict (name) do update
       set holder = excluded.holder, epoch = leases.epoch + 1, renewed_at = excluded.renewed_at
     returning epoch`,
    [name, holder, clock.now()],
  )
  return Number(rows[0]?.epoch)
}

async function renew(client: Client, { name, clock }: LeadershipRequest, epoch: number): Promise<void> {
  const { rowCount } = await client.query('update leases set renewed_at = $3 where name = $1 and epoch = $2', [
    name,
    epoch,
    clock.now(),
  ])
  if (rowCount !== 1) throw new Error(`the lease has another epoch than ${epoch}`)
}
