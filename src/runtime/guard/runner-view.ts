import { recordOwner } from '#/core/recorder/pool-name.ts'
import type { WatchEvent } from '#/ports/kubernetes.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'

export type WatchedKind = 'pods' | 'runners'

type Watched = { readonly objects: Map<string, KubeObject>; isOpen: boolean }

/** What the watches of the recorder show now, and what has changed since it was last asked. */
export class RunnerView {
  readonly #watches: Record<WatchedKind, Map<string, Watched>> = { pods: new Map(), runners: new Map() }
  readonly #podsByRecord = new Map<string, string>()
  #changed = new Set<string>()
  #wake = (): void => {}

  /** `place`: the namespace that is watched; empty for all. */
  hear(kind: WatchedKind, place: string, event: WatchEvent): void {
    const watched = this.#watches[kind].get(place) ?? { objects: new Map(), isOpen: false }
    this.#watches[kind].set(place, watched)
    this.#take(kind, watched, event)
    this.#wake()
  }

  pods(): Iterable<KubeObject> {
    return everyOne(this.#watches.pods)
  }

  records(): Iterable<KubeObject> {
    return everyOne(this.#watches.runners)
  }

  pod(uid: string): KubeObject | null {
    return this.#find('pods', uid)
  }

  recordOfPod(pod: KubeObject): KubeObject | null {
    const uid = recordOwner(pod)
    return uid === null ? null : this.#find('runners', uid)
  }

  podOfRecord(uid: string): KubeObject | null {
    return this.#find('pods', this.#podsByRecord.get(uid) ?? '')
  }

  /** Whether the watch that covers the namespace has listed and is not broken. */
  isWatching(kind: WatchedKind, namespace: string): boolean {
    const watches = this.#watches[kind]
    return (watches.get(namespace) ?? watches.get(''))?.isOpen ?? false
  }

  /** UIDs of the pods that changed, or whose record did. */
  takeChanged(): readonly string[] {
    const taken = [...this.#changed]
    this.#changed = new Set()
    return taken
  }

  /** Called at each change; the last one that was given counts. */
  onChange(wake: () => void): void {
    this.#wake = wake
  }

  #take(kind: WatchedKind, watched: Watched, event: WatchEvent): void {
    switch (event.kind) {
      case 'listed':
        for (const old of watched.objects.values()) this.#drop(kind, watched, old)
        for (const object of event.items) this.#keep(kind, watched, object)
        watched.isOpen = true
        return
      case 'added':
      case 'modified':
        return this.#keep(kind, watched, event.object)
      case 'deleted':
        return this.#drop(kind, watched, event.object)
      case 'caught-up':
      case 'blind':
        watched.isOpen = event.kind === 'caught-up'
    }
  }

  #keep(kind: WatchedKind, { objects }: Watched, object: KubeObject): void {
    const { uid } = object.metadata
    objects.set(uid, object)
    const record = kind === 'pods' ? recordOwner(object) : uid
    if (kind === 'pods' && record !== null) this.#podsByRecord.set(record, uid)
    const pod = kind === 'pods' ? uid : this.#podsByRecord.get(uid)
    if (pod !== undefined) this.#changed.add(pod)
  }

  #drop(kind: WatchedKind, { objects }: Watched, object: KubeObject): void {
    const { uid } = object.metadata
    objects.delete(uid)
    const record = kind === 'pods' ? recordOwner(object) : null
    if (record !== null && this.#podsByRecord.get(record) === uid) this.#podsByRecord.delete(record)
  }

  #find(kind: WatchedKind, uid: string): KubeObject | null {
    for (const { objects } of this.#watches[kind].values()) {
      const found = objects.get(uid)
      if (found !== undefined) return found
    }
    return null
  }
}

function* everyOne(watched: ReadonlyMap<string, Watched>): Generator<KubeObject> {
  for (const { objects } of watched.values()) yield* objects.values()
}
