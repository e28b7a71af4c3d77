import type { GateProof, LedgerOrigin, LedgerRow } from '#/core/ledger/ledger-row.ts'
import type { Ending } from '#/core/ledger/attempt.ts'
import { describeReason } from '#/core/basics/observed.ts'
import type { ActTarget, FinalizerActs, RemovalOutcome } from '#/ports/kubernetes-acts.ts'
import { attemptChange, uninterrupted } from './change-log.ts'
import type { ChangeMeans, NotOurs } from './change-log.ts'
import type { ActWarrant } from './means.ts'

export type StripOrder = {
  readonly pod: ActTarget
  readonly origin: LedgerOrigin
  /** NAMESPACE/NAME of the pool. */
  readonly scope: string
  /** All of them, as they were read at the version of `pod`. */
  readonly finalizers: readonly string[]
  readonly finalizer: string
  /** The id of the death that is stored; null where it is not, and then nothing is stripped. */
  readonly evidence: string | null
}

export type StripMeans = ChangeMeans & { readonly finalizers: FinalizerActs }

export type StripResult =
  | { readonly kind: 'ended'; readonly outcome: Ending['outcome']; readonly why: string }
  | NotOurs

/** Takes our finalizer from a pod that is being deleted. The object goes with it, so its death has to be stored. */
export async function stripFinalizer(order: StripOrder, means: StripMeans, warrant: ActWarrant): Promise<StripResult> {
  const { pod, origin, scope, evidence } = order
  const at = means.clock.now()
  const proof: GateProof = {
    gate: 'evidence-stored',
    holds: evidence !== null,
    why: evidence === null ? 'its death is not stored' : `its death is stored: ${evidence}`,
    ageSeconds: 0,
  }
  const { kind, namespace, name, uid } = pod
  const attempt = {
    ...origin,
    at,
    act: 'strip-finalizer' as const,
    subject: { kind, namespace, name, uid },
    actor: warrant.actor,
    gates: [proof],
    evidence,
    epoch: warrant.epoch,
    run: warrant.run,
    scaleSet: scope,
    places: 1,
  }
  if (evidence === null) {
    const ending = { outcome: 'refused', decidedBy: proof.gate, why: proof.why } as const
    const recorded = await means.ledger.record({ ...attempt, ...ending })
    return recorded.kind === 'fenced' ? recorded : { kind: 'ended', outcome: ending.outcome, why: ending.why }
  }
  return await attemptChange<StripResult>(
    {
      attempt,
      conclude: async (left: LedgerRow) => toLeft(left),
      work: async (log) => {
        await log.advance('patching')
        const { finalizers, finalizer } = order
        const outcome = await means.finalizers.strip({ pod, finalizers, finalizer }, uninterrupted())
        const ending = toEnding(outcome)
        await log.end(ending)
        return { kind: 'ended', outcome: ending.outcome, why: ending.why ?? '' }
      },
    },
    means,
    warrant,
  )
}

/** What a crash left: the pod is still there, or nobody would ask again. */
export function toLeft({ steps }: LedgerRow): Ending {
  const why =
    steps.length === 0 ? 'its run ended before it began' : 'its run ended, and the pod still has the finalizer'
  return { outcome: 'failed', decidedBy: null, why }
}

export function toEnding(outcome: RemovalOutcome): Ending {
  switch (outcome.kind) {
    case 'done':
      return { outcome: 'done', decidedBy: null, why: 'the finalizer is gone' }
    case 'gone':
      return { outcome: 'vanished', decidedBy: null, why: 'the pod is gone' }
    case 'changed':
    case 'declined':
      return { outcome: 'failed', decidedBy: null, why: outcome.message }
    case 'blind':
      return { outcome: 'failed', decidedBy: null, why: describeReason(outcome.reason) }
  }
}
