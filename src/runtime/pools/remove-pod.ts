import { blind } from '#/core/basics/observed.ts'
import type { PodNow, RetireReason } from '#/core/pools/reconcile/world.ts'
import type { ActCandidate, StoreEvidence } from '#/ports/act-candidate.ts'
import type { Kubernetes } from '#/ports/kubernetes.ts'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'
import type { Deaths } from '#/ports/store/deaths.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'
import type { Assignments } from '#/ports/store/assignments.ts'
import { act } from '#/runtime/act/act.ts'
import type { ActMeans, ActResult, ActWarrant } from '#/runtime/act/means.ts'
import { listFile } from '#/runtime/collect/lists/list-file.ts'
import { record } from '#/runtime/dispatch/record.ts'
import { keepBeforeAct } from '#/runtime/ledger/keep-before-act.ts'
import type { KeepMeans } from '#/runtime/ledger/keep-before-act.ts'
import { endWarmSlot } from './end-warm-slot.ts'
import { hasDeathOf } from './has-death.ts'
import { toFacts } from './keep-slots.ts'
import { identityOf, observeOwnPod } from './observe-own-pod.ts'
import type { ObserveMeans } from './observe-own-pod.ts'

export type RemoveMeans = Omit<ObserveMeans, 'assignments'> &
  Omit<ActMeans, 'observe' | 'storeEvidence' | 'kubernetes'> & {
    readonly kubernetes: Pick<Kubernetes, 'get'>
    readonly acts: ActMeans['kubernetes']
    readonly assignments: Assignments
    readonly deaths: Pick<Deaths, 'get' | 'record' | 'list'>
    readonly keep: Pick<KeepMeans, 'redact' | 'rules'>
  }

/** `stays`: a job was faster. */
export type Removed = ActResult | { readonly kind: 'stays'; readonly why: string }

const LOOP = 'pools'

/**
 * Removes a pod that nobody has. Its slot is ended first, and only from `warm`: from then on dispatch gives it nothing. A
 * crash between the two leaves a pod with an ended slot, which the next round removes.
 */
export async function retirePod(
  means: RemoveMeans,
  { pod, object, reason }: { readonly pod: PodNow; readonly object: KubeObject; readonly reason: RetireReason },
  warrant: ActWarrant,
): Promise<Removed> {
  const { assignments, clock } = means
  // Without a row there is nothing to compare with: dispatch could begin one.
  await record(assignments, { kind: 'slot-appeared', at: clock.now(), facts: toFacts(pod) })
  const end = await endWarmSlot(assignments, pod.uid, clock.now())
  if (end.kind !== 'ended')
    return { kind: 'stays', why: end.kind === 'taken' ? `its slot is ${end.slot.state}` : 'no slot' }
  const candidate = { ...toCandidate(pod, object), origin: { loop: `${LOOP}/${reason}` } }
  return await act(candidate, { ...toMeans(means), storeEvidence: keepObject(means, object) }, warrant)
}

/** Removes a pod that has ended. Its death is the evidence, so it has to be stored first. */
export async function clearPod(
  means: RemoveMeans,
  { pod, object }: { readonly pod: PodNow; readonly object: KubeObject },
  warrant: ActWarrant,
): Promise<Removed> {
  const candidate = {
    ...toCandidate(pod, object),
    gates: 'delete-ended-pod',
    origin: { loop: `${LOOP}/ended` },
  } as const
  const storeEvidence: StoreEvidence = async () =>
    (await hasDeathOf(means, object))
      ? { kind: 'stored', id: pod.uid }
      : blind('not-asked', 'its death is not recorded and judged yet')
  return await act(candidate, { ...toMeans(means), storeEvidence }, warrant)
}

function toCandidate({ namespace, name, uid, scope }: PodNow, object: KubeObject): Omit<ActCandidate, 'origin'> {
  return {
    act: 'delete-pod',
    subject: { kind: 'Pod', namespace, name, uid },
    scaleSet: scope,
    runners: [{ namespace, name, identity: identityOf(object) }],
  }
}

function toMeans({ ledger, github, gates, clock, signal, acts, ...means }: RemoveMeans) {
  const observe = observeOwnPod({ ...means, clock })
  return { ledger, github, gates, clock, signal, observe, kubernetes: acts }
}

/** What goes has done nothing yet: the object itself is all there is. */
function keepObject({ ledger, deaths, keep, clock, kubernetes }: RemoveMeans, known: KubeObject): StoreEvidence {
  return async ({ id }, signal) => {
    const { namespace = '', name, uid } = known.metadata
    const fresh = await kubernetes.get({ resource: RESOURCES.pods, namespace, name }, signal)
    const object = fresh.kind === 'seen' && fresh.value.metadata.uid === uid ? fresh.value : known
    const { file } = listFile('pods', [object])
    const now = clock.now()
    const coverage = { from: now, to: now, remark: null }
    const meta = {
      collectedAt: now,
      subject: { namespace, pod: name, uid },
      sources: new Map([['kubernetes/pods', { kind: 'looked', coverage } as const]]),
    }
    const given = { meta, files: new Map([[file.path, typeof file.content === 'string' ? file.content : '']]) }
    const kept = await keepBeforeAct({ ...keep, ledger, deaths, clock }, id, given)
    return kept.kind === 'stored'
      ? { kind: 'stored', id: kept.uid }
      : blind('refused-by-limits', `not stored: ${kept.kind}`)
  }
}
