import { goneMeanwhile } from '#/core/recorder/live-pod.ts'
import type { Clock } from '#/ports/clock.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'
import type { Log } from '#/ports/log.ts'
import type { LivePod } from '#/ports/store/live-pods.ts'
import type { LivePodWriter } from './live-pod-writer.ts'

/** Live pods as the process before us saved them: those that went meanwhile are missed deaths. */
export type LivePodsBefore = {
  /** Null after the first list: there is one for each live pod, and it is needed only once. */
  readonly get: (uid: string) => LivePod | null
  /** It may be gone, and its events are wanted. */
  readonly isExpected: (uid: string) => boolean
  /** Resolves when they are read. A store that is away does not keep us from watching: then after a while, and they are read later. */
  readonly read: (signal: AbortSignal) => Promise<void>
  /** The first list of a namespace; '' is all of them. */
  readonly listed: (namespace: string, items: readonly KubeObject[]) => void
}

type Means = {
  readonly livePods: Pick<LivePodWriter, 'read'>
  readonly clock: Clock
  readonly log: Log
  readonly miss: (livePod: LivePod) => void
  /** It is watched, or its end was seen. */
  readonly isKnown: (uid: string) => boolean
}

const READ_MS = 5000
const RETRY_MS = 1000

export function createLivePodsBefore({ livePods, clock, log, miss, isKnown }: Means): LivePodsBefore {
  const before = new Map<string, LivePod>()
  const expected = new Set<string>()
  /** What was listed before they were read. */
  const lists = new Map<string, ReadonlySet<string>>()
  let isRead = false
  const findMissed = (namespace: string, present: ReadonlySet<string>): void => {
    const namespaces = namespace === '' ? null : new Set([namespace])
    for (const livePod of goneMeanwhile([...before.values()], present, { namespaces })) {
      if (!isKnown(livePod.uid)) miss(livePod)
    }
    for (const { uid, namespace: own } of before.values()) {
      if (present.has(uid)) expected.delete(uid)
      if (namespaces?.has(own) ?? true) before.delete(uid)
    }
  }
  const take = (found: readonly LivePod[]): void => {
    isRead = true
    for (const livePod of found) {
      before.set(livePod.uid, livePod)
      expected.add(livePod.uid)
    }
    for (const [namespace, present] of lists) findMissed(namespace, present)
    lists.clear()
  }
  const readOnce = async (): Promise<readonly LivePod[] | string> => {
    try {
      return await livePods.read()
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
  }
  const readAll = async (signal: AbortSignal): Promise<void> => {
    for (let tries = 1; !signal.aborted; tries += 1) {
      const found = await readOnce()
      if (signal.aborted) return
      if (typeof found !== 'string') return take(found)
      if (tries === 1) log.warn('cannot read live pods from the store, will retry', { why: found })
      await clock.sleep(RETRY_MS, signal)
    }
  }
  return {
    get: (uid) => before.get(uid) ?? null,
    isExpected: (uid) => expected.has(uid),
    read: async (signal) => {
      const done = new AbortController()
      const reading = readAll(signal).finally(() => done.abort())
      await Promise.race([reading, clock.sleep(READ_MS, AbortSignal.any([signal, done.signal]))])
      if (!isRead && !signal.aborted) log.warn('watching before the live pods are read: the store does not answer')
    },
    listed: (namespace, items) => {
      const present = new Set(items.map(({ metadata }) => metadata.uid))
      if (isRead) findMissed(namespace, present)
      else lists.set(namespace, present)
    },
  }
}
