import type { KubernetesConnection } from '#/adapters/kubernetes/connect.ts'
import type { ListRequest, WatchEvent } from '#/ports/kubernetes.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'
import { until } from '#test/cluster/until.ts'

const PATIENCE_MS = 120_000

/** The events of an endless source so far. Leaving the scope ends it. */
export type Gathered<T> = AsyncDisposable & {
  readonly events: readonly T[]
  /** The first event, from the given index on, that the test waits for. */
  readonly until: (what: string, isIt: (event: T) => boolean, from?: number) => Promise<T>
}

export function gather<T>(start: (signal: AbortSignal) => AsyncIterable<T>): Gathered<T> {
  const stop = new AbortController()
  const events: T[] = []
  const reading = (async () => {
    for await (const event of start(stop.signal)) events.push(event)
  })()
  return {
    events,
    until: (what, isIt, from = 0) =>
      until({
        what,
        timeoutMs: PATIENCE_MS,
        probe: async () => events.slice(from).find(isIt),
        explain: async () => `received: ${events.map((event) => JSON.stringify(event).slice(0, 300)).join('\n')}`,
      }),
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      await reading
    },
  }
}

export type GatheredWatch = Gathered<WatchEvent> & {
  readonly caughtUp: (from?: number) => Promise<void>
  /** Every received state of the object of this name, oldest first. */
  readonly listStates: (name: string) => readonly { readonly kind: WatchEvent['kind']; readonly object: KubeObject }[]
}

export function gatherWatch(kubernetes: KubernetesConnection, request: ListRequest): GatheredWatch {
  const gathered = gather((signal) => kubernetes.watch(request, signal))
  return {
    ...gathered,
    caughtUp: async (from) => {
      await gathered.until('the watch to be open', ({ kind }) => kind === 'caught-up', from)
    },
    listStates: (name) => gathered.events.flatMap(states).filter(({ object }) => object.metadata.name === name),
  }
}

function states(event: WatchEvent): readonly { readonly kind: WatchEvent['kind']; readonly object: KubeObject }[] {
  switch (event.kind) {
    case 'listed':
      return event.items.map((object) => ({ kind: event.kind, object }))
    case 'added':
    case 'modified':
    case 'deleted':
      return [event]
    case 'caught-up':
    case 'blind':
      return []
  }
}

export function isAbout(kind: WatchEvent['kind'], name: string): (event: WatchEvent) => boolean {
  return (event) => event.kind === kind && 'object' in event && event.object.metadata.name === name
}
