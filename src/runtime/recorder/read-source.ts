import type { SourceAnswer } from '#/core/evidence/bundle-meta.ts'
import type { BlindReason } from '#/core/basics/observed.ts'
import type { BundleFile } from '#/ports/bundle.ts'
import type { Clock } from '#/ports/clock.ts'
import { createAnswers } from '#/runtime/collect/request/answers.ts'
import { createLanes } from '#/runtime/queue/lanes.ts'
import type { Lanes } from '#/runtime/queue/lanes.ts'
import type { Draft } from './draft.ts'
import type { EndedPod } from './ended-pod.ts'
import type { DeathProgress, WaitingFor } from './progress.ts'

/** Each source has its own places, so that a slow one holds up neither the others nor the deaths of other nodes. */
export type SourceLanes = {
  /** Logs and counters, by node. */
  readonly node: Lanes
  /** By node: many, because requests of one moment share one read. */
  readonly journal: Lanes
  readonly kubernetes: Lanes
  readonly github: Lanes
  readonly auditLog: Lanes
}

export function createSourceLanes(): SourceLanes {
  return {
    node: createLanes(64),
    journal: createLanes(128),
    kubernetes: createLanes(16),
    github: createLanes(8),
    auditLog: createLanes(16),
  }
}

export type SourceOrder = {
  /** Blind where the time is over. */
  readonly sources: readonly string[]
  readonly lane: Lanes
  readonly key: string
  readonly waitingFor: WaitingFor
  /** From when it has its place. On a busy machine all take long, and the last in the line must not be the one that loses. */
  readonly mostMs: number
  /** The time includes the wait for a place: for a source that serves all nodes and may hang for all. */
  readonly isShared?: true
  readonly late: BlindReason
}

export type Reading = {
  readonly pod: EndedPod
  readonly progress: DeathProgress
  readonly clock: Clock
  readonly signal: AbortSignal
}

/**
 * Reads one source into the draft when it has a place. What comes after the time limit is left out whole: a part of it
 * could be taken for all of it. Null where it was too late.
 */
export async function readSource<T>(
  draft: Draft,
  order: SourceOrder,
  { pod, progress, clock, signal }: Reading,
  read: (own: Draft, signal: AbortSignal) => Promise<T>,
): Promise<T | null> {
  const own: Draft = { ...draft, files: new Map(), answers: createAnswers(), absorbed: new Map() }
  const inTime = <R>(work: (limited: AbortSignal) => Promise<R>): Promise<R | null> =>
    withinTime(order.mostMs, { clock, signal }, work)
  const inPlace = <R>(work: () => Promise<R>): Promise<R> => order.lane.run(order.key, work)
  const readOwn = async (limited: AbortSignal) => (limited.aborted ? null : { value: await read(own, limited) })
  const result = await progress.during(pod.uid, order.waitingFor, () =>
    order.isShared === true ? inTime((limited) => inPlace(() => readOwn(limited))) : inPlace(() => inTime(readOwn)),
  )
  signal.throwIfAborted()
  if (result === null) {
    for (const source of order.sources) draft.answers.blindUnlessLooked(source, order.late)
    return null
  }
  absorb(draft, { files: own.files.values(), sources: own.answers.sources() })
  return result.value
}

/** Null where the time is over first. The timer ends with the work: a burst has thousands of them. */
async function withinTime<T>(
  ms: number,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
  work: (limited: AbortSignal) => Promise<T>,
): Promise<T | null> {
  const [late, done] = [new AbortController(), new AbortController()]
  const limited = AbortSignal.any([signal, late.signal])
  const over = clock.sleep(ms, AbortSignal.any([signal, done.signal])).then(() => {
    if (!done.signal.aborted) late.abort(new DOMException('it took too long', 'TimeoutError'))
    return null
  })
  try {
    return await Promise.race([work(limited), over])
  } catch (error) {
    if (limited.aborted) return null
    throw error
  } finally {
    done.abort()
  }
}

export function absorb(
  draft: Draft,
  { files, sources }: { readonly files: Iterable<BundleFile>; readonly sources: ReadonlyMap<string, SourceAnswer> },
): void {
  for (const file of files) draft.files.set(file.path, file)
  for (const [source, answer] of sources) {
    if (answer.kind === 'looked' || draft.absorbed.get(source)?.kind !== 'looked') draft.absorbed.set(source, answer)
  }
}

/** Why a source is blind that had its time. */
export function late(what: string): BlindReason {
  return { code: 'timeout', detail: `${what} did not answer in time` }
}
