import { seen, none } from '#/core/basics/observed.ts'
import type { Observed } from '#/core/basics/observed.ts'
import { POOL_LABEL, TEMPLATE_ANNOTATION } from '#/core/pools/own-pod.ts'
import type { RunnerPool } from '#/core/pools/runner-pool.ts'
import type { KubeObject, ObjectMeta } from '#/ports/kubernetes-object.ts'
import type { OwnPods, Pools } from '#/ports/pools.ts'

export const NAMESPACE = 'runners'
export const SCOPE = `${NAMESPACE}/linux`
export const TEMPLATE = 't1'

/** A pod of the pool `linux`, as the watch shows it. */
export function ownPod(uid: string, more: Partial<ObjectMeta> = {}): KubeObject {
  const metadata: ObjectMeta = {
    name: `linux-${uid}`,
    namespace: NAMESPACE,
    uid,
    resourceVersion: '1',
    creationTimestamp: '2026-11-15T11:00:00Z',
    labels: { [POOL_LABEL]: 'linux' },
    annotations: { [TEMPLATE_ANNOTATION]: TEMPLATE },
    ...more,
  }
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec: { nodeName: 'n1' }, status: { phase: 'Pending' } }
}

/** The pods that a test puts here. */
export class PutPods implements OwnPods {
  readonly pods = new Map<string, KubeObject>()
  blind: Extract<Observed<never>, { kind: 'blind' }> | null = null
  readonly #listeners: ((uid: string) => void)[] = []

  constructor(...pods: readonly KubeObject[]) {
    for (const pod of pods) this.put(pod)
  }

  put(pod: KubeObject): void {
    this.pods.set(pod.metadata.uid, pod)
  }

  drop(uid: string): void {
    this.pods.delete(uid)
    for (const listener of this.#listeners) listener(uid)
  }

  readonly byUid = (uid: string): Observed<KubeObject> => {
    const pod = this.pods.get(uid)
    return this.blind ?? (pod === undefined ? none() : seen(pod))
  }

  readonly all = (): Observed<readonly KubeObject[]> => this.blind ?? seen([...this.pods.values()])

  readonly onGone = (listener: (uid: string) => void): void => void this.#listeners.push(listener)
}

export function declared(...pools: readonly RunnerPool[]): Pools {
  return { read: () => seen(pools), onChange: () => {} }
}
