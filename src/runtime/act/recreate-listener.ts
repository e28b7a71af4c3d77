import { describeReason } from '#/core/basics/observed.ts'
import type { Observed } from '#/core/basics/observed.ts'
import { readPodRecord } from '#/core/kubernetes/pod-record.ts'
import type { Attempt, Ending } from '#/core/ledger/attempt.ts'
import type { GateProof } from '#/core/ledger/ledger-row.ts'
import { judgeStuck } from '#/core/pull-secrets/stuck-listener.ts'
import type { StuckListener } from '#/core/pull-secrets/stuck-listener.ts'
import type { StorePodEvidence } from '#/ports/act-candidate.ts'
import type { LaneActs } from '#/ports/kubernetes-acts.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'
import { attemptChange, MOST_TRIES, uninterrupted } from './change-log.ts'
import type { ChangeLog, ChangeMeans, NotOurs } from './change-log.ts'
import type { ActWarrant } from './means.ts'

export type ListenerMeans = ChangeMeans & {
  readonly kubernetes: Pick<LaneActs, 'recreateListener'>
  readonly read: (pod: StuckListener) => Promise<Observed<KubeObject>>
  readonly storePod: StorePodEvidence
}

export type ListenerResult = NotOurs | Recreated
export type Recreated = { readonly kind: 'done' | 'refused' | 'failed' | 'vanished'; readonly why: string }

/** Keeps, and then deletes, the pod of a listener that cannot pull its image, so that ARC makes it again with the credential of today. */
export async function recreateListener(
  pod: StuckListener,
  means: ListenerMeans,
  warrant: ActWarrant,
): Promise<ListenerResult> {
  const judged = judge(pod, await means.read(pod))
  const attempt = toAttempt(pod, judged.proofs, { at: means.clock.now(), warrant })
  if (judged.kind !== 'stuck') {
    await means.ledger.record({ ...attempt, ...toEnding(judged) })
    return judged
  }
  return await attemptChange(
    {
      attempt,
      conclude: async () => concludeLeft(pod, await means.read(pod)),
      work: (log) => carryOut(pod, log, means),
    },
    means,
    warrant,
  )
}

async function carryOut(pod: StuckListener, log: ChangeLog, means: ListenerMeans): Promise<Recreated> {
  await log.advance('storing-evidence')
  const stored = await means.storePod({ id: log.row.id, pod }, means.signal)
  if (stored.kind === 'blind') {
    const unkept = refuse(`the pod cannot be kept: ${describeReason(stored.reason)}`, 'evidence-stored')
    await log.end(toEnding(unkept), [...log.row.gates, ...unkept.proofs])
    return toResult(unkept)
  }
  await log.advance('deleting', stored.id)
  const settled = await deleteSettled(pod, means)
  const kept: GateProof = { gate: 'evidence-stored', holds: true, why: `stored as ${stored.id}`, ageSeconds: 0 }
  await log.end(toEnding(settled), settled.proofs.length === 0 ? [] : [...settled.proofs, kept])
  return toResult(settled)
}

function toResult({ kind, why }: Settled): Recreated {
  return { kind, why }
}

function refuse(why: string, gate: 'identity' | 'evidence-stored'): Settled {
  return { kind: 'refused', why, proofs: [{ gate, holds: null, why, ageSeconds: 0 }] }
}

type Settled = Recreated & { readonly proofs: readonly GateProof[] }

/** The kubelet writes to a pod that waits for its image at every attempt, so another version is judged anew. */
async function deleteSettled(pod: StuckListener, means: ListenerMeans): Promise<Settled> {
  let last = ''
  let proofs: readonly GateProof[] = []
  for (let left = MOST_TRIES; left > 0; left -= 1) {
    const judged = judge(pod, await means.read(pod))
    if (judged.kind !== 'stuck') return judged
    const { namespace, name, uid } = pod
    proofs = judged.proofs
    const target = { namespace, name, uid, resourceVersion: judged.resourceVersion }
    const outcome = await means.kubernetes.recreateListener(target, uninterrupted())
    switch (outcome.kind) {
      case 'done':
        return { kind: 'done', why: 'deleted: ARC makes it again', proofs }
      case 'gone':
        return { kind: 'vanished', why: 'it is gone', proofs }
      case 'declined':
        return { kind: 'failed', why: outcome.message, proofs }
      case 'blind': {
        const doubt = outcome.applied === 'unknown' ? '; it may have happened' : ''
        return { kind: 'failed', why: `${describeReason(outcome.reason)}${doubt}`, proofs }
      }
      case 'changed':
        last = outcome.message
    }
  }
  return { kind: 'failed', why: `it changes all the time: ${last}`, proofs }
}

type Judged =
  | Settled
  | { readonly kind: 'stuck'; readonly resourceVersion: string; readonly proofs: readonly GateProof[] }

function judge({ uid }: StuckListener, found: Observed<KubeObject>): Judged {
  if (found.kind === 'blind') {
    return refuse(`the pod could not be read: ${describeReason(found.reason)}`, 'identity')
  }
  const isSame = found.kind === 'seen' && found.value.metadata.uid === uid
  if (!isSame) return { kind: 'vanished', why: 'ARC has made another pod already', proofs: [] }
  const proofs = judgeStuck(readPodRecord(found.value))
  const failing = proofs.find(({ holds }) => holds !== true)
  if (failing !== undefined) return { kind: 'refused', why: failing.why, proofs }
  return { kind: 'stuck', resourceVersion: found.value.metadata.resourceVersion, proofs }
}

function toEnding({ kind, why, ...rest }: Recreated & { readonly proofs?: readonly GateProof[] }): Ending {
  if (kind !== 'refused') return { outcome: kind, decidedBy: null, why }
  const failing = rest.proofs?.find(({ holds }) => holds !== true)
  return { outcome: 'refused', decidedBy: failing?.gate ?? 'stuck-in-pull', why }
}

function concludeLeft({ uid }: StuckListener, found: Observed<KubeObject>): Ending {
  const isThere =
    found.kind === 'seen' && found.value.metadata.uid === uid && found.value.metadata.deletionTimestamp === undefined
  return isThere
    ? { outcome: 'failed', decidedBy: null, why: 'its run ended early, and the pod is still there' }
    : { outcome: 'done', decidedBy: null, why: 'its run ended early, and the pod is gone' }
}

function toAttempt(
  { namespace, name, uid, scaleSet }: StuckListener,
  gates: readonly GateProof[],
  { at, warrant }: { readonly at: number; readonly warrant: ActWarrant },
): Attempt {
  const { actor, epoch, run } = warrant
  return {
    command: 'pull-secrets sync',
    at,
    act: 'recreate-listener',
    subject: { kind: 'Pod', namespace, name, uid },
    actor,
    gates,
    evidence: null,
    epoch,
    run,
    scaleSet,
    places: 0,
  }
}
