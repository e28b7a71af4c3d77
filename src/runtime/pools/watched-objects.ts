import { blind, none, seen, seenList } from '#/core/basics/observed.ts'
import type { Blind, Observed } from '#/core/basics/observed.ts'
import type { Kubernetes, ListRequest, WatchEvent } from '#/ports/kubernetes.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'

/** Objects of one kind, kept by a watch. */
export type WatchedObjects = {
  /** Blind until the watch has caught up everywhere, and whenever it is not open. */
  readonly all: () => Observed<readonly KubeObject[]>
  readonly byUid: (uid: string) => Observed<KubeObject>
  /** After each change, and when the watch begins or stops to see. */
  readonly onChange: (listener: () => void) => void
  /** Once for each object that went, with its last state; one that no longer fits the selector counts too. */
  readonly onGone: (listener: (object: KubeObject) => void) => void
  /** Until the signal. */
  readonly run: (signal: AbortSignal) => Promise<void>
}

const NOT_BEGUN = blind('not-asked', 'the watch has not begun')
const STOPPED = blind('stopped', 'the watch is not running')

export function createWatchedObjects(
  kubernetes: Pick<Kubernetes, 'watch'>,
  request: Omit<ListRequest, 'namespace'>,
  namespaces: readonly string[] | null,
): WatchedObjects {
  const changed: (() => void)[] = []
  const gone: ((object: KubeObject) => void)[] = []
  const heard: Heard = {
    changed: () => {
      for (const listener of changed) listener()
    },
    gone: (object) => {
      for (const listener of gone) listener(object)
    },
  }
  const places = (namespaces ?? ['']).map((namespace) => new WatchedPlace(namespace, heard))
  const findBlind = (): Blind | null => places.find((place) => place.blind !== null)?.blind ?? null
  return {
    all: () => findBlind() ?? seenList(places.flatMap((place) => place.objects())),
    byUid: (uid) => {
      const [found] = places.flatMap((place) => place.byUid(uid) ?? [])
      return findBlind() ?? (found === undefined ? none() : seen(found))
    },
    onChange: (listener) => void changed.push(listener),
    onGone: (listener) => void gone.push(listener),
    run: async (signal) => {
      await Promise.all(places.map(async (place) => await place.run(kubernetes, request, signal)))
    },
  }
}

type Heard = { readonly changed: () => void; readonly gone: (object: KubeObject) => void }

/** One namespace, or all of them. */
class WatchedPlace {
  readonly #objects = new Map<string, KubeObject>()
  readonly #namespace: string
  readonly #heard: Heard
  blind: Blind | null = NOT_BEGUN

  constructor(namespace: string, heard: Heard) {
    this.#namespace = namespace
    this.#heard = heard
  }

  objects(): readonly KubeObject[] {
    return [...this.#objects.values()]
  }

  byUid(uid: string): KubeObject | undefined {
    return this.#objects.get(uid)
  }

  async run(
    kubernetes: Pick<Kubernetes, 'watch'>,
    request: Omit<ListRequest, 'namespace'>,
    signal: AbortSignal,
  ): Promise<void> {
    const where = this.#namespace === '' ? {} : { namespace: this.#namespace }
    let isFirst = true
    try {
      for await (const event of kubernetes.watch({ ...request, ...where }, signal)) {
        // Another run begins with a list of its own, and knows nothing of what went before it.
        if (isFirst && event.kind === 'listed') this.#keepOnly(event.items)
        if (event.kind === 'listed') isFirst = false
        this.#hear(event)
      }
    } finally {
      this.blind = STOPPED
      this.#heard.changed()
    }
  }

  #keepOnly(items: readonly KubeObject[]): void {
    const present = new Set(items.map(({ metadata }) => metadata.uid))
    for (const object of this.objects()) if (!present.has(object.metadata.uid)) this.#leave(object)
  }

  #leave(object: KubeObject): void {
    this.#objects.delete(object.metadata.uid)
    this.#heard.gone(object)
  }

  #hear(event: WatchEvent): void {
    switch (event.kind) {
      case 'listed':
        for (const object of event.vanished) this.#leave(object)
        for (const object of event.items) this.#objects.set(object.metadata.uid, object)
        break
      case 'added':
      case 'modified':
        this.#objects.set(event.object.metadata.uid, event.object)
        break
      case 'deleted':
        this.#leave(event.object)
        break
      case 'caught-up':
        this.blind = null
        break
      case 'blind':
        this.blind = event
        break
    }
    this.#heard.changed()
  }
}
