import { toFields, listAt, textAt } from '#/core/basics/fields.ts'
import { redactText } from '#/core/redaction/redaction.ts'
import type { Digest } from '#/core/redaction/redaction-secret.ts'

/** Labels that name the pool of a runner pod; the first one present counts. */
const POOL_LABELS = [
  'actions.github.com/scale-set-name',
  'signalbox.dev/pool',
  'runner-deployment-name',
  'runner-set-name',
  'app.kubernetes.io/instance',
  'app',
] as const

/** Redacted, because it is public, in metrics too: a label can hold a token. */
export function poolName(object: unknown, digest: Digest): string | null {
  const labels = toFields(toFields(toFields(object)['metadata'])['labels'])
  for (const label of POOL_LABELS) {
    const value = labels[label]
    if (typeof value === 'string' && value !== '') return redactText(value, digest)
  }
  return null
}

/** ARC keeps a record of each runner with the name of its pod. */
export function isOfArc(object: unknown): boolean {
  return recordReference(object) !== undefined
}

/** The UID of that record. */
export function recordOwner(object: unknown): string | null {
  return textAt(recordReference(object), 'uid')
}

function recordReference(object: unknown): unknown {
  return listAt(object, 'metadata', 'ownerReferences').find((owner) => textAt(owner, 'kind') === 'EphemeralRunner')
}
