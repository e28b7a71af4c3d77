import { blind, seenList } from '#/core/basics/observed.ts'
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

type Place = { readonly objects: Map<string, KubeObject>; blind: Blind | null }

export function createWatchedObjects(
  kubernetes: Pick<Kubernetes, 'watch'>,
  request: Omit<ListRequest, 'namespace'>,
  namespaces: readonly string[] | null,
): WatchedObjects {
  const places = new Map<string, Place>(
    (namespaces ?? ['']).map((namespace) => [namespace, { objects: new Map(), blind: NOT_BEGUN }]),
  )
  const changed: (() => void)[] = []
  const gone: ((object: KubeObject) => void)[] = []
  const notify = (): void => {
    for (const listener of changed) listener()
  }
  const leave = (place: Place, object: KubeObject): void => {
    place.objects.delete(object.metadata.uid)
    for (const listener of gone) listener(object)
  }
  const hear = (place: Place, event: WatchEvent): void => {
    switch (event.kind) {
      case 'listed':
        for (const object of event.vanished) leave(place, object)
        for (const object of event.items) place.objects.set(object.metadata.uid, object)
        break
      case 'added':
      case 'modified':
        place.objects.set(event.object.metadata.uid, event.object)
        break
      case 'deleted':
        leave(place, event.object)
        break
      case 'caught-up':
        place.blind = null
        break
      case 'blind':
        place.blind = event
        break
    }
    notify()
  }
  const watchPlace = async (namespace: string, place: Place, signal: AbortSignal): Promise<void> => {
    // Another run begins with a list of its own, and knows nothing of what went before it.
    const before = new Map(place.objects)
    const where = namespace === '' ? {} : { namespace }
    try {
      for await (const event of kubernetes.watch({ ...request, ...where }, signal)) {
        if (event.kind === 'listed') {
          const present = new Set(event.items.map(({ metadata }) => metadata.uid))
          for (const [uid, object] of before) if (!present.has(uid)) leave(place, object)
          before.clear()
        }
        hear(place, event)
      }
    } finally {
      place.blind = STOPPED
      notify()
    }
  }
  const findBlind = (): Blind | null => [...places.values()].find((place) => place.blind !== null)?.blind ?? null
  return {
    all: () => findBlind() ?? seenList([...places.values()].flatMap(({ objects }) => [...objects.values()])),
    byUid: (uid) => {
      const [found] = [...places.values()].flatMap(({ objects }) => objects.get(uid) ?? [])
      return findBlind() ?? (found === undefined ? { kind: 'none' } : { kind: 'seen', value: found })
    },
    onChange: (listener) => void changed.push(listener),
    onGone: (listener) => void gone.push(listener),
    run: async (signal) => {
      await Promise.all([...places].map(async ([namespace, place]) => await watchPlace(namespace, place, signal)))
    },
  }
}

const NOT_BEGUN = blind('not-asked', 'the watch has not begun')
const STOPPED = blind('stopped', 'the watch is not running')
