import { toDeath } from '#/core/recorder/death.ts'
import type { Death } from '#/core/recorder/death.ts'
import { redactDeath } from '#/core/notify/harmless.ts'
import { StoreUnavailable } from '#/ports/store/store-unavailable.ts'
import type { DeathRecord } from '#/ports/store/deaths.ts'
import type { Running } from './channel.ts'
import type { NoticeSender } from './notice-sender.ts'

/** Gives each death to the sender once: new ones as they happen, and stored ones that were not sent. */
export type Intake = {
  /** Waits while the store is unavailable. */
  readonly open: (signal: AbortSignal) => Promise<void>
  readonly catchUp: (signal: AbortSignal) => Promise<void>
  /** Takes some from the front; false where the store is unavailable and the rest has to wait. */
  readonly take: (deaths: Death[], signal: AbortSignal) => Promise<boolean>
}

const PAGE = 500
/** In a long incident, notices that are due are sent in between. */
const MOST_TAKEN = 50
const STORE_AWAY_MS = 5000
/** The clock may have been set by this much since the deaths happened: what is that much older counts as recent too. */
const CLOCK_SET_MS = 3 * 3_600_000

export function createIntake(running: Running, sender: NoticeSender): Intake {
  const { plan, sentNotices, clock, log } = running
  const accept = async (death: Death): Promise<void> => {
    if (sender.holds(death.uid)) return
    const standing = await sentNotices.standing(death.uid)
    if (standing === 'sent') return
    const own = redactDeath(death, running.redact)
    if (standing === 'unsent' || plan.isRepeatable) return sender.take(own)
    log.warn('a notice may have been sent before a restart: its death is only counted', {
      channel: plan.name,
      uid: death.uid,
    })
    sender.takeByNumber(own)
  }
  const catchUp = async (signal: AbortSignal): Promise<void> => {
    if (!plan.isRemembered) return
    for await (const death of recentDeaths(running, CLOCK_SET_MS, signal)) await accept(death)
  }
  const openOnce = async (signal: AbortSignal): Promise<void> => {
    const now = clock.now()
    sender.open(await sentNotices.sentSince(now - plan.outbox.rate.periodMs))
    if (!(await sentNotices.open(now))) return catchUp(signal)
    // A new channel does not report past deaths, also not those that become recent when the clock is set back.
    for await (const { uid } of recentDeaths(running, 2 * CLOCK_SET_MS, signal))
      await sentNotices.done([uid], null, now)
  }
  return {
    open: async (signal) => {
      while (!signal.aborted && !(await unlessAway(running, () => openOnce(signal)))) {
        await clock.sleep(STORE_AWAY_MS, signal)
      }
    },
    catchUp: async (signal) => {
      await unlessAway(running, () => catchUp(signal))
    },
    take: async (deaths, signal) => {
      for (let taken = 0; taken < MOST_TAKEN && !signal.aborted; taken += 1) {
        const [death] = deaths
        if (death === undefined) break
        if (!(await unlessAway(running, () => accept(death)))) return false
        deaths.shift()
      }
      return true
    },
  }
}

/** The latest first, as the store lists them. */
async function* recentDeaths(
  { store, plan, clock }: Running,
  extraMs: number,
  signal: AbortSignal,
): AsyncGenerator<Death> {
  const since = clock.now() - plan.mostAgeMs - extraMs
  for (let after: DeathRecord | undefined; !signal.aborted;) {
    const rows = await store.deaths.list({ since, limit: PAGE, ...(after === undefined ? {} : { after }) })
    for (const row of rows) {
      // An open death is published when it is judged; now it would be reported without its cause.
      if (row.verdict === null) continue
      const death = toDeath(row)
      if (plan.isWanted(death)) yield death
    }
    after = rows.at(-1)
    if (rows.length < PAGE) return
  }
}

async function unlessAway({ log, plan }: Running, work: () => Promise<void>): Promise<boolean> {
  try {
    await work()
    return true
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error
    log.warn('store unavailable, notices wait', { channel: plan.name, why: error.message })
    return false
  }
}
