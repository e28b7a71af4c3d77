import type { Happening } from '#/core/dispatch/assignment.ts'
import type { Changes } from '#/core/dispatch/assignment.ts'
import { isParked } from '#/core/dispatch/job.ts'
import type { Ending } from '#/core/ledger/attempt.ts'
import type { LoopId, Recovery } from '#/core/recovery/recovery.ts'
import type { Registration } from '#/ports/github.ts'
import { attemptChange } from '#/runtime/act/change-log.ts'
import { deregisterRunner } from '#/runtime/act/deregister-runner.ts'
import type { ActWarrant } from '#/runtime/act/means.ts'
import { record } from '#/runtime/dispatch/record.ts'
import { concludeLeft, generationProof } from './close-left.ts'
import { MOST_ACTS } from './means.ts'
import type { Found, RecoveryMeans } from './means.ts'
import type { Outcome } from './metrics.ts'

/** An attempt without a step for so long has no owner any more. */
export const ABANDONED_AFTER_MS = 60_000

export type Round = {
  readonly means: RecoveryMeans
  readonly loop: LoopId
  readonly run: string
  /** Asked at each write. */
  readonly epoch: () => number | null
  readonly signal: AbortSignal
}

/** Another leader has the lease: the round is over. */
export class Fenced extends Error {}

export function warrantOf({ loop, run, epoch }: Round): ActWarrant {
  return {
    actor: `signalbox/${loop}`,
    run,
    epoch: epoch(),
    // A job that goes back may leave a registration behind.
    cap: { run: 2 * MOST_ACTS, set: null },
    abandonedAfterMs: ABANDONED_AFTER_MS,
  }
}

/** Does what was decided. All checks of the recovery hold; a decision about what is no longer so changes nothing. */
export async function carryOut({ recovery, at }: Found, round: Round): Promise<Outcome> {
  const { action, leavesBehind } = recovery
  if (action === null) return 'blind'
  if (action.kind === 'deregister') return await removeRegistration(action.runner, at, { recovery, round })
  const outcome = await writeDown(recovery, action.happening, round)
  if (leavesBehind !== null && (outcome === 'returned' || outcome === 'parked')) {
    const removed = await removeRegistration(leavesBehind, at, { recovery, round })
    round.means.metrics.count(round.loop, removed)
  }
  return outcome
}

async function writeDown(recovery: Recovery, happening: Happening, round: Round): Promise<Outcome> {
  const { means, signal } = round
  const { act, loop, subject, checks } = recovery
  if (act === null) return (await apply(happening, means)).outcome
  const warrant = warrantOf(round)
  const result = await attemptChange<Applied>(
    {
      attempt: {
        loop,
        at: means.clock.now(),
        act,
        subject,
        actor: warrant.actor,
        gates: [...checks, ...generationProof(happening)],
        evidence: null,
        epoch: warrant.epoch,
        run: warrant.run,
        scaleSet: null,
        places: 1,
      },
      conclude: async (left) => await concludeLeft(left, { ...means, signal }),
      work: async (log) => {
        await log.advance('applying')
        const applied = await apply(happening, means)
        await log.end(applied.ending)
        return applied
      },
    },
    { ledger: means.ledger, clock: means.clock, signal },
    warrant,
  )
  if (result.kind === 'fenced') throw new Fenced(`another server leads (epoch ${result.epoch})`)
  return result.kind === 'taken' ? 'stale' : result.outcome
}

type Applied = { readonly kind: 'applied'; readonly outcome: Outcome; readonly ending: Ending }

async function apply(happening: Happening, { assignments }: RecoveryMeans): Promise<Applied> {
  const recorded = await record(assignments, happening)
  switch (recorded.kind) {
    case 'unchanged': {
      const why = 'it was about an older claim, or somebody else was faster: nothing was changed'
      return { kind: 'applied', outcome: 'stale', ending: { outcome: 'vanished', decidedBy: null, why } }
    }
    case 'contended': {
      const why = `others kept changing it, ${recorded.tries} times: nothing was changed`
      return { kind: 'applied', outcome: 'failed', ending: { outcome: 'failed', decidedBy: null, why } }
    }
    case 'changed': {
      const { outcome, why } = describe(happening, recorded.changes)
      return { kind: 'applied', outcome, ending: { outcome: 'done', decidedBy: null, why } }
    }
  }
}

function describe(happening: Happening, { jobs }: Changes): { readonly outcome: Outcome; readonly why: string } {
  switch (happening.kind) {
    case 'job-returned': {
      const after = jobs.find(({ after: { id } }) => id === happening.job.id)?.after
      const count = `recovery ${after?.recoveries ?? 0}`
      if (after !== undefined && isParked(after)) {
        const next = `put it back: signalbox jobs retry ${after.id}`
        return { outcome: 'parked', why: `parked: ${happening.reason}, ${count}, which is the last; ${next}` }
      }
      return { outcome: 'returned', why: `back in the queue: ${happening.reason}, ${count}; slot ${happening.slot}` }
    }
    case 'job-completed':
      return { outcome: 'closed', why: `closed: ${happening.conclusion}` }
    case 'job-started':
      return { outcome: 'started', why: `executing on ${happening.runner.name}` }
    case 'slot-lost':
      return { outcome: 'slot-lost', why: 'its pod was taken away' }
    default:
      return { outcome: 'registered', why: 'its runner registered' }
  }
}

type Behind = { readonly recovery: Recovery; readonly round: Round }

async function removeRegistration(
  { id, name }: { readonly id: number | null; readonly name: string },
  at: Registration | null,
  { recovery: { loop, checks, action }, round }: Behind,
): Promise<Outcome> {
  const { means, signal } = round
  if (at === null || id === null) return 'blind'
  const order = { runner: { id, name }, at, proofs: checks, mayBeOnline: isOfGonePod(action) }
  const { ledger, clock, acts, github } = means
  const result = await deregisterRunner(order, {
    origin: { loop },
    means: { ledger, clock, signal, github: acts, runners: github.runners },
    warrant: warrantOf(round),
  })
  if (result.kind === 'fenced') throw new Fenced(`another server leads (epoch ${result.epoch})`)
  if (result.kind === 'taken') return 'stale'
  switch (result.ending.outcome) {
    case 'done':
      return 'deregistered'
    case 'vanished':
      return 'stale'
    case 'refused':
      return 'refused'
    case 'failed':
      return 'failed'
  }
}

/** A runner whose pod is gone looks online until GitHub misses it; of any other pod it may just have come. */
function isOfGonePod(action: Recovery['action']): boolean {
  return (
    action?.kind === 'record' && action.happening.kind === 'job-returned' && action.happening.reason === 'slot-lost'
  )
}
