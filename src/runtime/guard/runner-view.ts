import { recordOwner } from '#/core/recorder/pool-name.ts'
import type { WatchEvent } from '#/ports/kubernetes.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'

export type WatchedKind = 'pods' | 'runners'

/** What the watches of the recorder show now, and what has changed since it was last asked. */
export type RunnerView = {
  /** `place`: the namespace that is watched; empty for all. */
  readonly hear: (kind: WatchedKind, place: string, event: WatchEvent) => void
  readonly pods: () => Iterable<KubeObject>
  readonly records: () => Iterable<KubeObject>
  readonly pod: (uid: string) => KubeObject | null
  readonly recordOfPod: (pod: KubeObject) => KubeObject | null
  readonly podOfRecord: (uid: string) => KubeObject | null
  /** Whether the watch that covers the namespace has listed and is not broken. */
  readonly isWatching: (kind: WatchedKind, namespace: string) => boolean
  /** UIDs of the pods that changed, or whose record did. */
  readonly takeChanged: () => readonly string[]
  /** Called at each change; the last one that was given counts. */
  readonly onChange: (wake: () => void) => void
}

type Watched = { readonly objects: Map<string, KubeObject>; isOpen: boolean }
type Watches = Record<WatchedKind, Map<string, Watched>>

export function createRunnerView(): RunnerView {
  const watches: Watches = { pods: new Map(), runners: new Map() }
  const podsByRecord = new Map<string, string>()
  let changed = new Set<string>()
  let wake = (): void => {}
  const find = (kind: WatchedKind, uid: string): KubeObject | null => {
    for (const { objects } of watches[kind].values()) {
      const found = objects.get(uid)
      if (found !== undefined) return found
    }
    return null
  }
  const mark = (kind: WatchedKind, object: KubeObject): void => {
    const { uid } = object.metadata
    const record = kind === 'pods' ? recordOwner(object) : uid
    if (kind === 'pods' && record !== null) podsByRecord.set(record, uid)
    const own = kind === 'pods' ? uid : podsByRecord.get(uid)
    if (own !== undefined) changed.add(own)
  }
  const drop = (kind: WatchedKind, watched: Watched, object: KubeObject): void => {
    const { uid } = object.metadata
    watched.objects.delete(uid)
    const record = kind === 'pods' ? recordOwner(object) : null
    if (record !== null && podsByRecord.get(record) === uid) podsByRecord.delete(record)
  }
  const take = (kind: WatchedKind, watched: Watched, event: WatchEvent): void => {
    switch (event.kind) {
      case 'listed':
        for (const old of watched.objects.values()) drop(kind, watched, old)
        for (const object of event.items) watched.objects.set(object.metadata.uid, object)
        for (const object of event.items) mark(kind, object)
        watched.isOpen = true
        return
      case 'added':
      case 'modified':
        watched.objects.set(event.object.metadata.uid, event.object)
        return mark(kind, event.object)
      case 'deleted':
        return drop(kind, watched, event.object)
      case 'caught-up':
        watched.isOpen = true
        return
      case 'blind':
        watched.isOpen = false
    }
  }
  return {
    hear: (kind, place, event) => {
      const watched = watches[kind].get(place) ?? { objects: new Map(), isOpen: false }
      watches[kind].set(place, watched)
      take(kind, watched, event)
      wake()
    },
    pods: () => everyOne(watches.pods),
    records: () => everyOne(watches.runners),
    pod: (uid) => find('pods', uid),
    recordOfPod: (pod) => {
      const uid = recordOwner(pod)
      return uid === null ? null : find('runners', uid)
    },
    podOfRecord: (uid) => find('pods', podsByRecord.get(uid) ?? ''),
    isWatching: (kind, namespace) => (watches[kind].get(namespace) ?? watches[kind].get(''))?.isOpen ?? false,
    takeChanged: () => {
      const taken = [...changed]
      changed = new Set()
      return taken
    },
    onChange: (next) => {
      wake = next
    },
  }
}

function* everyOne(watched: ReadonlyMap<string, Watched>): Generator<KubeObject> {
  for (const { objects } of watched.values()) yield* objects.values()
}
