import { decideRecovery } from '#/core/recovery/recovery.ts'
import type { LoopId, Recovery } from '#/core/recovery/recovery.ts'
import { closeLeft } from '#/runtime/act/change-log.ts'
import type { LeaderLoop } from '#/runtime/lead/loop.ts'
import { ABANDONED_AFTER_MS, carryOut, Fenced, warrantOf } from './carry-out.ts'
import type { Round } from './carry-out.ts'
import { concludeLeft } from './close-left.ts'
import { lookAtClaims, lookAtExecuting, lookAtMinted, lookAtQueue } from './look-at-jobs.ts'
import { lookAtPods } from './look-at-pods.ts'
import { lookAtRegistrations } from './look-at-registrations.ts'
import { MOST_ACTS } from './means.ts'
import type { Found, LoopRun, RecoveryMeans } from './means.ts'
import { copyMemory, createMemory } from './memory.ts'
import type { RecoveryMemory } from './memory.ts'
import type { Outcome } from './metrics.ts'

/** Each looks at lists; GitHub is asked only about the few candidates that the lists leave. */
const RUNS: readonly LoopRun[] = [
  { id: 'stale-claims', everyMs: 10_000, look: lookAtClaims },
  { id: 'unregistered-runners', everyMs: 5_000, look: lookAtMinted },
  { id: 'missing-pods', everyMs: 15_000, look: lookAtPods },
  { id: 'stale-queue', everyMs: 60_000, look: lookAtQueue },
  { id: 'idle-registrations', everyMs: 120_000, look: lookAtRegistrations },
  { id: 'dead-runners', everyMs: 15_000, look: lookAtExecuting },
]

export type RecoveryLoops = {
  readonly leaderLoops: readonly LeaderLoop[]
  /** What each of the loops would do now. Nothing is written or remembered. */
  readonly dryRun: (ids: readonly LoopId[], signal: AbortSignal) => Promise<readonly LoopReport[]>
}

export type LoopReport = {
  readonly loop: LoopId
  readonly isDisabled: boolean
  readonly candidates: readonly Recovery[]
}

export function recoveryLoops(means: RecoveryMeans): RecoveryLoops {
  const memories = new Map(RUNS.map(({ id }) => [id, createMemory()]))
  const leaderLoops = RUNS.filter(({ id }) => !means.disabled.has(id)).map((loop): LeaderLoop => {
    let led = 0
    return {
      name: `recover ${loop.id}`,
      everyMs: loop.everyMs,
      run: async (signal, term) => {
        // What was seen in a former term says nothing of what happened in between.
        if (term.epoch() !== led) memories.set(loop.id, createMemory())
        led = term.epoch()
        await runLoop(loop, memories.get(loop.id) ?? createMemory(), { means, epoch: term.epoch, signal })
      },
    }
  })
  const dryRun: RecoveryLoops['dryRun'] = async (ids, signal) => {
    const reports: LoopReport[] = []
    for (const { id, look } of RUNS.filter((one) => ids.includes(one.id))) {
      const memory = copyMemory(memories.get(id) ?? createMemory())
      // What waits for its next look is shown too.
      memory.asked.clear()
      const found = await look({ means, memory, now: means.clock.now(), signal })
      reports.push({ loop: id, isDisabled: means.disabled.has(id), candidates: found.map(({ recovery }) => recovery) })
    }
    return reports
  }
  return { leaderLoops, dryRun }
}

type Running = { readonly means: RecoveryMeans; readonly epoch: () => number; readonly signal: AbortSignal }

async function runLoop(
  { id, look }: LoopRun,
  memory: RecoveryMemory,
  { means, epoch, signal }: Running,
): Promise<void> {
  const now = means.clock.now()
  const round: Round = { means, loop: id, run: `${id}/${epoch()}/${now}`, epoch, signal }
  await closeWhatWasLeft(round)
  const found = await look({ means, memory, now, signal })
  let acts = 0
  for (const one of found) {
    if (signal.aborted) return
    const { decision } = decideRecovery(one.recovery)
    if (decision === 'refused') continue
    const outcome = decision === 'blind' ? 'blind' : acts >= MOST_ACTS ? 'capped' : await carryOut(one, round)
    if (decision === 'would-remove') acts += 1
    report(one, outcome, round)
  }
}

const FREED: ReadonlySet<Outcome> = new Set(['returned', 'parked', 'closed', 'slot-lost', 'deregistered'])

function report({ recovery }: Found, outcome: Outcome, { means, loop }: Round): void {
  const { clock, metrics, log } = means
  metrics.count(loop, outcome)
  if (outcome === 'blind' || outcome === 'capped') return
  const seconds = Math.round((clock.now() - recovery.since) / 1000)
  if (FREED.has(outcome)) metrics.stranded(loop, seconds)
  const { kind, namespace, name } = recovery.subject
  const subject = `${kind} ${namespace ?? ''}/${name}`
  const why = recovery.checks.map((one) => one.why).join('; ')
  if (outcome === 'parked') log.warn('a job was parked: it went back to the queue too often', { loop, subject, why })
  else log.info('recovered', { loop, outcome, subject, seconds, why })
}

const MOST_LEFT = 100

/** Attempts of this loop that a crash left open, also those that nobody would begin again. */
async function closeWhatWasLeft(round: Round): Promise<void> {
  const { means, loop, signal } = round
  const rows = await means.ledger.list({ actor: `signalbox/${loop}`, outcome: 'planned', limit: MOST_LEFT })
  for (const row of rows) {
    if (means.clock.now() - row.at < ABANDONED_AFTER_MS) continue
    const by = { means: { ledger: means.ledger, clock: means.clock, signal }, warrant: warrantOf(round) }
    const lost = await closeLeft(row, async (left) => await concludeLeft(left, { ...means, signal }), by)
    if (lost?.kind === 'fenced') throw new Fenced(`another server leads (epoch ${lost.epoch})`)
  }
}
