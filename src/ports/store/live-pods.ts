/** Runner pods that were running when last seen, so that a restart finds the ones that went. */
export type LivePods = {
  /** The latest of each pod is kept. */
  readonly put: (pods: readonly LivePod[]) => Promise<void>
  readonly remove: (uids: readonly string[]) => Promise<void>
  /** In the order of their UIDs. */
  readonly page: (after: string | null, limit: number) => Promise<readonly LivePod[]>
  /** Those with this name that have no recorded death, the latest first. */
  readonly named: (pod: string, limit: number) => Promise<readonly PresentPod[]>
}

export type LivePod = {
  readonly uid: string
  readonly namespace: string
  readonly pod: string
  readonly node: string | null
  readonly pool: string | null
  readonly seenAt: number
  /** The pod as it was. */
  readonly object: unknown
}

export type PresentPod = Omit<LivePod, 'object'>
