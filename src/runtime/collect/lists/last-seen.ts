import { at, toFields, textAt } from '#/core/basics/fields.ts'
import type { LastSeen } from '#/runtime/collect/request/request.ts'

const ANNOTATION = 'signalbox.dev/last-seen'

/** The pods with the one that somebody kept, marked as what it is. While it stands, the API server knows it better. */
export function withLastSeen(pods: readonly object[], lastSeen: LastSeen | null): readonly object[] {
  if (lastSeen === null) return pods
  const uid = textAt(lastSeen.pod, 'metadata', 'uid')
  if (uid !== null && pods.some((pod) => textAt(pod, 'metadata', 'uid') === uid)) return pods
  const metadata = toFields(lastSeen.pod['metadata'])
  const annotations = { [ANNOTATION]: new Date(lastSeen.at).toISOString(), ...toFields(metadata['annotations']) }
  return [...pods, { ...lastSeen.pod, metadata: { ...metadata, annotations } }]
}

/** Who the pod is that somebody kept. */
export type KeptPod = { readonly namespace: string | null; readonly name: string | null; readonly uid: string | null }

export function keptPod(lastSeen: LastSeen | null): KeptPod | null {
  if (lastSeen === null) return null
  const field = (name: string): string | null => textAt(lastSeen.pod, 'metadata', name)
  return { namespace: field('namespace'), name: field('name'), uid: field('uid') }
}

/** What is wrong with an object that is said to be a pod; null for nothing. */
export function refuseLastSeen(value: unknown): string | null {
  if (textAt(value, 'kind') !== 'Pod') return 'it is no pod as kubectl get pod -o json prints it'
  const names = [textAt(value, 'metadata', 'name'), textAt(value, 'metadata', 'namespace')]
  if (!names.every((name) => name !== null && /^[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?$/.test(name))) {
    return 'its metadata has no name or no namespace'
  }
  return at(value, 'spec') === undefined ? 'it has no spec' : null
}
