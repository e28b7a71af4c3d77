import { readEvent } from '#/core/kubernetes/event-facts.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'

/** Events by the pod or node that they are about, kept beyond the hour for which the API server keeps them. */
export type EventCache = {
  readonly take: (event: KubeObject) => void
  readonly of: (uid: string, node: string | null) => readonly KubeObject[]
  readonly forget: (uid: string) => void
  readonly size: () => number
}

const MOST_OF_ONE = 60

export function createEventCache(most: number, isWatched: (uid: string) => boolean): EventCache {
  const bySubject = new Map<string, Map<string, KubeObject>>()
  let size = 0
  const forget = (key: string): void => {
    size -= bySubject.get(key)?.size ?? 0
    bySubject.delete(key)
  }
  const makeRoom = (): void => {
    // Events of other pods go first: in a shared cluster they are the most.
    for (const key of bySubject.keys()) {
      if (size <= most) return
      if (!isWatched(key)) forget(key)
    }
    for (const key of bySubject.keys()) {
      if (size <= most) return
      forget(key)
    }
  }
  return {
    take: (event) => {
      const key = eventKey(event)
      if (key === null) return
      const own = bySubject.get(key) ?? new Map<string, KubeObject>()
      size -= own.size
      own.delete(event.metadata.uid)
      own.set(event.metadata.uid, event)
      const [oldest] = own.keys()
      if (own.size > MOST_OF_ONE && oldest !== undefined) own.delete(oldest)
      size += own.size
      bySubject.delete(key)
      bySubject.set(key, own)
      if (size > most) makeRoom()
    },
    of: (uid, node) => [
      ...(bySubject.get(uid)?.values() ?? []),
      ...(node === null ? [] : (bySubject.get(`node/${node}`)?.values() ?? [])),
    ],
    forget,
    size: () => size,
  }
}

function eventKey(event: KubeObject): string | null {
  const { kind, uid, name } = readEvent(event)
  if (kind === 'Pod') return uid
  return kind === 'Node' && name !== null ? `node/${name}` : null
}
