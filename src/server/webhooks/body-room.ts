/**
 * Memory for bodies that are being received. A signature can only be checked after the whole body, so anybody can send:
 * where the room is full, the largest body goes, or the one that has taken the longest. GitHub's are small and quick.
 */
export type BodyRoom = { readonly enter: () => BodyPlace }

export type BodyPlace = {
  readonly grow: (bytes: number) => void
  /** Aborted where this body had to go. */
  readonly signal: AbortSignal
  readonly leave: () => void
}

export type RoomLimits = { readonly bodies: number; readonly bytes: number }

type Held = { bytes: number; readonly evicted: AbortController }

export function bodyRoom(limits: RoomLimits): BodyRoom {
  /** In the order in which they came. */
  const held = new Set<Held>()
  let bytes = 0
  const drop = (one: Held): void => {
    if (!held.delete(one)) return
    bytes -= one.bytes
  }
  const evict = (one: Held | undefined): void => {
    if (one === undefined) return
    drop(one)
    one.evicted.abort()
  }
  return {
    enter: () => {
      if (held.size >= limits.bodies) evict([...held][0])
      const own: Held = { bytes: 0, evicted: new AbortController() }
      held.add(own)
      return {
        signal: own.evicted.signal,
        grow: (more) => {
          if (!held.has(own)) return
          own.bytes += more
          bytes += more
          while (bytes > limits.bytes) evict([...held].toSorted((a, b) => b.bytes - a.bytes)[0])
        },
        leave: () => drop(own),
      }
    },
  }
}
