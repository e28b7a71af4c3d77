/** An object as the API server gave it, trimmed. Only the metadata was checked; the rest is narrowed by who reads it. */
export type KubeObject = {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: ObjectMeta
  readonly [field: string]: unknown
}

export type ObjectMeta = {
  readonly name: string
  /** Absent on objects that belong to no namespace. */
  readonly namespace?: string
  readonly uid: string
  readonly resourceVersion: string
  readonly generation?: number
  readonly creationTimestamp?: string
  readonly deletionTimestamp?: string
  readonly deletionGracePeriodSeconds?: number
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly ownerReferences?: readonly OwnerReference[]
  readonly finalizers?: readonly string[]
  readonly managedFields?: readonly unknown[]
}

export type OwnerReference = {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly uid: string
  readonly controller?: boolean
}

/** Applied to every object as it arrives, before anything is held. */
export type Trim = (object: KubeObject) => KubeObject

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'

/** What nearly every reader wants: without the managed fields, and without the copy of itself that kubectl leaves. */
export const withoutBulk: Trim = (object) => {
  const { managedFields: _, ...metadata } = object.metadata
  return withoutLastApplied({ ...object, metadata })
}

/** For those who ask who did it: the managed fields name the writers. */
export const withoutLastApplied: Trim = (object) => {
  const { annotations } = object.metadata
  if (annotations?.[LAST_APPLIED] === undefined) return object
  const { [LAST_APPLIED]: _, ...kept } = annotations
  return { ...object, metadata: { ...object.metadata, annotations: kept } }
}
