import { describeReason } from '#/core/basics/observed.ts'
import type { Observed } from '#/core/basics/observed.ts'
import type { Ending } from '#/core/ledger/attempt.ts'
import type { GateProof } from '#/core/ledger/ledger-row.ts'
import { judgeRelease, readHeldPod } from '#/core/pools/reconcile/held-pod.ts'
import type { HeldPod, ReleaseTerms } from '#/core/pools/reconcile/held-pod.ts'
import { EVIDENCE_FINALIZER } from '#/core/pools/own-pod.ts'
import type { ActTarget } from '#/ports/kubernetes-acts.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'
import { attemptChange, uninterrupted } from './change-log.ts'
import type { ActWarrant } from './means.ts'
import { toEnding, toLeft } from './strip-finalizer.ts'
import type { StripMeans, StripResult } from './strip-finalizer.ts'

export type ReleaseMeans = StripMeans & { readonly read: (pod: HeldPod) => Promise<Observed<KubeObject>> }

/**
 * Takes our finalizer from a pod whose evidence nobody stores any more: a person has said so. The pod is judged on a fresh
 * read, and only that version is changed.
 */
export async function releaseFinalizer(
  pod: HeldPod,
  { terms, ...means }: ReleaseMeans & { readonly terms: ReleaseTerms },
  warrant: ActWarrant,
): Promise<StripResult> {
  const { namespace, name, uid, scope } = pod
  const at = means.clock.now()
  const judged = judge(pod, await means.read(pod), { terms, at })
  const attempt = {
    command: 'finalizers release',
    at,
    act: 'strip-finalizer' as const,
    subject: { kind: 'Pod', namespace, name, uid },
    actor: warrant.actor,
    gates: judged.proofs,
    evidence: null,
    epoch: warrant.epoch,
    run: warrant.run,
    scaleSet: scope,
    places: 1,
  }
  if (judged.kind === 'stays') {
    const recorded = await means.ledger.record({ ...attempt, ...judged.ending })
    return recorded.kind === 'fenced' ? recorded : toResult(judged.ending)
  }
  const { target, finalizers } = judged
  return await attemptChange<StripResult>(
    {
      attempt,
      conclude: async (left) => toLeft(left),
      work: async (log) => {
        await log.advance('patching')
        const order = { pod: target, finalizers, finalizer: EVIDENCE_FINALIZER }
        const ending = toEnding(await means.finalizers.strip(order, uninterrupted()))
        await log.end(ending)
        return toResult(ending)
      },
    },
    means,
    warrant,
  )
}

type Judged = { readonly proofs: readonly GateProof[] } & (
  | { readonly kind: 'may'; readonly target: ActTarget; readonly finalizers: readonly string[] }
  | { readonly kind: 'stays'; readonly ending: Ending }
)

type Asked = { readonly terms: ReleaseTerms; readonly at: number }

function judge({ uid, namespace, name }: HeldPod, read: Observed<KubeObject>, { terms, at }: Asked): Judged {
  if (read.kind === 'blind') return stays('identity', null, describeReason(read.reason))
  if (read.kind === 'none' || read.value.metadata.uid !== uid) return vanished()
  const now = readHeldPod(read.value)
  if (now === null) return stays('identity', false, 'it has no finalizer of ours any more')
  const verdict = judgeRelease(now, terms, at)
  if (verdict.kind === 'stays') return stays(verdict.gate, false, verdict.why)
  const { resourceVersion } = read.value.metadata
  return {
    kind: 'may',
    proofs: [{ gate: 'identity', holds: true, why: verdict.why, ageSeconds: 0 }],
    target: { kind: 'Pod', namespace, name, uid, resourceVersion },
    finalizers: now.finalizers,
  }
}

function stays(gate: string, holds: false | null, why: string): Judged {
  const proofs = [{ gate, holds, why, ageSeconds: 0 }]
  return { kind: 'stays', proofs, ending: { outcome: 'refused', decidedBy: gate, why } }
}

function vanished(): Judged {
  return { kind: 'stays', proofs: [], ending: { outcome: 'vanished', decidedBy: null, why: 'the pod is gone' } }
}

function toResult({ outcome, why }: Ending): StripResult {
  return { kind: 'ended', outcome, why: why ?? '' }
}
