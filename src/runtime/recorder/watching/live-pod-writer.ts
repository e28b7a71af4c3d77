import { isWorthSaving } from '#/core/recorder/live-pod.ts'
import { shareAlike } from '#/core/basics/share-alike.ts'
import type { Clock } from '#/ports/clock.ts'
import type { Log } from '#/ports/log.ts'
import type { LivePod, LivePods } from '#/ports/store/live-pods.ts'
import type { TrackedPod } from './tracked-pods.ts'

/** Saves live pods in batches, so that the next start finds the ones that went meanwhile. */
export type LivePodWriter = {
  readonly save: (before: TrackedPod | null, pod: TrackedPod) => void
  /** Its death is stored. */
  readonly remove: (uid: string) => void
  readonly read: () => Promise<readonly LivePod[]>
  readonly run: (signal: AbortSignal) => Promise<void>
}

/** Null where it costs too much. The key is whose object it is. */
export type RedactObject = (object: object, key: string) => Promise<object | null>

const FLUSH_MS = 500
/** Of a store that is away. */
const RETRY_MS = 5000
const BATCH = 100
const PAGE = 1000

export function createLivePodWriter(
  stored: LivePods,
  redact: RedactObject,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): LivePodWriter {
  const puts = new Map<string, TrackedPod>()
  const removals = new Set<string>()
  const flush = async (): Promise<void> => {
    while (puts.size > 0) {
      const batch = [...puts.values()].slice(0, BATCH)
      const redacted = await Promise.all(batch.map((pod) => toLivePod(pod, redact)))
      await stored.put(redacted.filter((pod) => pod !== null))
      // A newer version that arrived meanwhile stays for the next batch.
      for (const pod of batch) if (puts.get(pod.uid) === pod) puts.delete(pod.uid)
    }
    while (removals.size > 0) {
      const batch = [...removals].slice(0, BATCH)
      await stored.remove(batch)
      for (const uid of batch) removals.delete(uid)
    }
  }
  let isAway = false
  const tryFlush = async (): Promise<void> => {
    try {
      await flush()
      if (isAway) log.info('live pods are saved again')
      isAway = false
    } catch (error) {
      if (!isAway) {
        log.warn('cannot save live pods, will retry', { why: error instanceof Error ? error.message : String(error) })
      }
      isAway = true
    }
  }
  return {
    save: (before, pod) => {
      if (isWorthSaving(before?.facts ?? null, pod.facts)) puts.set(pod.uid, pod)
    },
    remove: (uid) => {
      puts.delete(uid)
      removals.add(uid)
    },
    read: () => readAll(stored),
    run: async (signal) => {
      while (!signal.aborted) {
        await tryFlush()
        await clock.sleep(isAway ? RETRY_MS : FLUSH_MS, signal)
      }
      await tryFlush()
    },
  }
}

/** Null where it costs too much: then a restart does not find that pod, and the others are saved. */
async function toLivePod(
  { uid, facts, pool, seenAt, object }: TrackedPod,
  redact: RedactObject,
): Promise<LivePod | null> {
  const redacted = await redact(object, facts.node ?? '')
  if (redacted === null) return null
  return { uid, namespace: facts.namespace, pod: facts.name, node: facts.node, pool, seenAt, object: redacted }
}

async function readAll(stored: LivePods): Promise<readonly LivePod[]> {
  const all: LivePod[] = []
  for (let after: string | null = null; ;) {
    const page = await stored.page(after, PAGE)
    for (const one of page) all.push({ ...one, object: shareAlike(one.object, all.at(-1)?.object) })
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE) return all
    after = last.uid
  }
}
