import type { Client } from 'pg'
import type { Clock } from '#/ports/clock.ts'
import type { FormerTerm, Leadership, Loss, Term } from '#/ports/store/leadership.ts'
import { StoreUnavailable } from '#/ports/store/store-unavailable.ts'
import { reachable } from '#/adapters/postgres/connection/pool-fault.ts'
import { openSession } from '#/adapters/postgres/connection/pool-session.ts'
import type { Session } from '#/adapters/postgres/connection/pool-session.ts'

/**
 * The order of these holds the promise "one at a time": a leader that is cut off gives up after at most a beat and its
 * timeout, and only then does the server close the silent session, which frees the lock for another. What goes on without
 * the store (`lead.ts`) ends when the server answers: it is asked every RETRY_MS.
 */
const BEAT_EVERY_MS = 4000
const BEAT_TIMEOUT_MS = 4000
const SILENT_SESSION_MS = 20_000
const RETRY_MS = 1000
/** Longer than a session of a leader that was killed can live on. */
const SAY_AFTER_TRIES = 30

export type LeadershipRequest = {
  readonly connectionString: string
  /** What is led; the candidates of one name compete. */
  readonly name: string
  /** Who we are, for people who read the table. */
  readonly holder: string
  readonly clock: Clock
  /** Somebody else has led for a while. Once per campaign. */
  readonly otherLeads?: (holder: string) => void
}

/** The lock belongs to a connection of its own and dies with it. The epoch grows with every leader, so that writes of an earlier one can be recognised. */
export function postgresLeadership(request: LeadershipRequest): Leadership {
  return {
    campaign: async (signal, former) => {
      while (!signal.aborted) {
        const term = await standOnce({ ...request, former }, signal)
        if (term !== null) return term
        await request.clock.sleep(RETRY_MS, signal)
      }
      return null
    },
  }
}

type Campaign = LeadershipRequest & { readonly former: FormerTerm | undefined }

/** Null when the connection could not be had or was lost on the way, or when the campaign was called off. */
async function standOnce(request: Campaign, signal: AbortSignal): Promise<Term | null> {
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
    let kind: Loss['kind'] = 'unreachable'
    session.keepBeating(async () => {
      if (await renew(client, request, epoch)) return
      kind = 'replaced'
      throw new Error(`the lease has another epoch than ${epoch}`)
    })
    const { ended, close } = session
    const lost = ended.then((why): Loss => ({ kind, why }))
    const resign = async (): Promise<void> => {
      kind = 'resigned'
      await close(kind)
    }
    return { epoch, lost, resign }
  } catch (error) {
    await session?.close('the campaign failed')
    if (error instanceof StoreUnavailable) return null
    throw error
  }
}

async function winEpoch(client: Client, request: Campaign, signal: AbortSignal): Promise<number | null> {
  await client.query(`
    set statement_timeout = ${BEAT_TIMEOUT_MS};
    set idle_session_timeout = ${SILENT_SESSION_MS};
    set tcp_keepalives_idle = 10;
    set tcp_keepalives_interval = 5;
    set tcp_keepalives_count = 3`)
  for (let tries = 1; !signal.aborted; tries += 1) {
    const { rows } = await client.query<{ taken: boolean }>(
      'select pg_try_advisory_lock(hashtextextended($1, 0)) as taken',
      [`signalbox leader ${request.name}`],
    )
    if (rows[0]?.taken === true) return await nextEpoch(client, request)
    const { holder, epoch } = await readLease(client, request)
    // The lock may still belong to a session of our own that died; then nobody has led since.
    if (request.former !== undefined && epoch !== request.former.epoch) request.former.replaced(holder)
    if (tries === SAY_AFTER_TRIES) request.otherLeads?.(holder)
    await request.clock.sleep(RETRY_MS, signal)
  }
  return null
}

type Lease = { readonly holder: string; readonly epoch: number }

async function readLease(client: Client, { name }: LeadershipRequest): Promise<Lease> {
  const { rows } = await client.query<{ holder: string; epoch: string }>(
    'select holder, epoch from leases where name = $1',
    [name],
  )
  return { holder: rows[0]?.holder ?? 'unknown', epoch: Number(rows[0]?.epoch) }
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

/** False where the lease has another epoch. */
async function renew(client: Client, { name, clock }: LeadershipRequest, epoch: number): Promise<boolean> {
  const { rowCount } = await client.query('update leases set renewed_at = $3 where name = $1 and epoch = $2', [
    name,
    epoch,
    clock.now(),
  ])
  return rowCount === 1
}
