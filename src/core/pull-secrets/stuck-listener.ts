import type { Fields } from '#/core/basics/fields.ts'
import { listAt, textAt } from '#/core/basics/fields.ts'
import { everRan, readContainer, readPodRecord } from '#/core/kubernetes/pod-record.ts'
import type { PodRecord } from '#/core/kubernetes/pod-record.ts'
import type { GateProof } from '#/core/ledger/ledger-row.ts'

/** What a new credential can heal. Other image troubles, such as a wrong name, stay what they are. */
const STUCK: ReadonlySet<string | null> = new Set(['ImagePullBackOff', 'ErrImagePull'])

export type StuckListener = {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly scaleSet: string | null
  readonly reason: string
}

/** Listener pods that wait for their image with one of these Secrets. `secrets`: NAMESPACE/NAME. */
export function findStuckListeners(pods: readonly Fields[], secrets: ReadonlySet<string>): readonly StuckListener[] {
  return pods.flatMap((object) => {
    const pod = readPodRecord(object)
    const { namespace, name, uid } = pod
    const uses = listAt(pod.spec, 'imagePullSecrets').some((one) =>
      secrets.has(`${namespace}/${textAt(one, 'name') ?? ''}`),
    )
    const proofs = judgeStuck(pod)
    if (uid === null || !uses || proofs.some(({ holds }) => holds !== true)) return []
    const state = readContainer(pod, 'listener')?.state
    const reason = state?.kind === 'waiting' ? (state.reason ?? '') : ''
    return [{ namespace, name, uid, scaleSet: findSet(pod), reason }]
  })
}

/** Before a listener pod is deleted: it is one, ARC will make it again, and it has not begun. */
export function judgeStuck(pod: PodRecord): readonly GateProof[] {
  return [isListener(pod), isStuck(pod), neverBegan(pod)]
}

function toProof(gate: string, holds: boolean, why: string): GateProof {
  return { gate, holds, why, ageSeconds: 0 }
}

function isListener({ labels, ownerKinds, name }: PodRecord): GateProof {
  const isLabelled = textAt(labels, 'app.kubernetes.io/component') === 'runner-scale-set-listener'
  const isOwned = ownerKinds.some(({ kind }) => kind === 'AutoscalingListener')
  return isLabelled && isOwned
    ? toProof('is-listener', true, `AutoscalingListener ${name} owns it: ARC makes it again`)
    : toProof('is-listener', false, 'it is no listener of ARC')
}

function isStuck(pod: PodRecord): GateProof {
  const gate = 'stuck-in-pull'
  if (pod.deletedAt !== null) return toProof(gate, false, 'it is being deleted already')
  const state = readContainer(pod, 'listener')?.state
  if (state?.kind !== 'waiting') return toProof(gate, false, `the listener is ${state?.kind ?? 'without a state'}`)
  return toProof(gate, STUCK.has(state.reason), `the listener waits: ${state.reason ?? 'no reason given'}`)
}

function neverBegan(pod: PodRecord): GateProof {
  const ran = everRan(pod)
  return toProof('never-began', !ran, ran ? 'one of its containers has run' : 'none of its containers has ever run')
}

function findSet({ labels }: PodRecord): string | null {
  const name = textAt(labels, 'actions.github.com/scale-set-name')
  const namespace = textAt(labels, 'actions.github.com/scale-set-namespace')
  return name === null || namespace === null ? null : `${namespace}/${name}`
}
