import type { BlindReason } from '#/core/basics/observed.ts'
import { isWithin } from '#/core/basics/within.ts'
import type { Clock } from '#/ports/clock.ts'
import type { Kubernetes, WatchEvent } from '#/ports/kubernetes.ts'
import { withoutLastApplied } from '#/ports/kubernetes-object.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'
import type { Log } from '#/ports/log.ts'
import { holdAlike } from './alike-pods.ts'
import type { LivePodsBefore } from './live-pods-before.ts'

const REPLAY_MS = 10_000

/** A gap in the watch that has just ended: the first events after it are about what happened in it. */
export type RecentGap = { readonly reason: BlindReason; readonly until: number }

/** Who keeps the last state of each pod. */
export type PodHearing = {
  /** `isFirst`: from the first list after our start, so its end may be recorded already. */
  readonly see: (object: KubeObject, isFirst: boolean, gap?: RecentGap | null) => void
  /** The watch reports it as deleted: it is, or its labels no longer match. */
  readonly remove: (object: KubeObject, gap?: RecentGap | null) => void
  /** It went while the watch was down. */
  readonly vanish: (object: KubeObject, gap: BlindReason | null) => void
}

type PodWatches = {
  readonly options: {
    readonly kubernetes: Pick<Kubernetes, 'watch'>
    readonly clock: Pick<Clock, 'now'>
    readonly log: Log
    readonly settings: Selected
    /** Others that need the same watches; namespace empty: all. */
    readonly heard?: (kind: 'pods', namespace: string, event: WatchEvent) => void
  }
  readonly tracker: PodHearing
  readonly before: Pick<LivePodsBefore, 'listed'>
  /** After the first lists. */
  readonly listed: (() => void) | undefined
}

type Selected = { readonly labelSelector: string; readonly alsoWatched: readonly string[] }

export function selectorsOf({ labelSelector, alsoWatched }: Selected): readonly string[] {
  return [labelSelector, ...alsoWatched]
}

/** What was there at our start is known when the first list of every selector is. */
export async function watchSelected(watches: PodWatches, namespace: string, signal: AbortSignal): Promise<void> {
  const { options, tracker, before, listed } = watches
  const selectors = selectorsOf(options.settings)
  const all: KubeObject[] = []
  let left = selectors.length
  const firstList = (items: readonly KubeObject[]): void => {
    all.push(...items)
    left -= 1
    if (left > 0) return
    before.listed(namespace, all)
    listed?.()
  }
  await Promise.all(
    selectors.map((selector) => watchPods({ options, tracker, firstList, selector }, namespace, signal)),
  )
}

type PodWatch = Pick<PodWatches, 'options' | 'tracker'> & {
  readonly firstList: (items: readonly KubeObject[]) => void
  readonly selector: string
}

async function watchPods(watch: PodWatch, namespace: string, signal: AbortSignal): Promise<void> {
  const { options, selector: labelSelector } = watch
  const place = namespace === '' ? {} : { namespace }
  const request = { resource: RESOURCES.pods, labelSelector, trim: holdAlike(withoutLastApplied), ...place }
  const hear = podListener(watch, namespace)
  for await (const event of options.kubernetes.watch(request, signal)) {
    hear(event)
    // Each list replaces what they knew of the namespace: they hear of one selector.
    if (labelSelector === options.settings.labelSelector) options.heard?.('pods', namespace, event)
  }
}

function podListener(watch: PodWatch, namespace: string): (event: WatchEvent) => void {
  const { options, tracker } = watch
  let gap: BlindReason | null = null
  let lastGap: RecentGap | null = null
  let isFirst = true
  /** The first events after a gap are about what happened in it, whether they come before or after the watch has caught up. */
  const recentGap = (): RecentGap | null => {
    const now = options.clock.now()
    if (gap !== null) return { reason: gap, until: now }
    return lastGap !== null && isWithin(REPLAY_MS, lastGap.until, now) ? lastGap : null
  }
  const listed = ({ items, vanished }: Extract<WatchEvent, { kind: 'listed' }>): void => {
    for (const object of items) tracker.see(object, isFirst, isFirst ? null : recentGap())
    for (const object of vanished) tracker.vanish(object, gap)
    if (isFirst) watch.firstList(items)
    isFirst = false
  }
  const look = (reason: BlindReason | null): void => {
    const where = { namespace: namespace === '' ? 'all' : namespace }
    if (reason === null && gap !== null) options.log.info('watching runner pods again', where)
    if (reason !== null && gap === null) {
      options.log.warn('cannot watch runner pods', { ...where, why: `${reason.code}: ${reason.detail}` })
    }
    if (reason === null && gap !== null) lastGap = { reason: gap, until: options.clock.now() }
    gap = reason
  }
  return (event) => {
    switch (event.kind) {
      case 'listed':
        return listed(event)
      case 'added':
      case 'modified':
        return tracker.see(event.object, false, recentGap())
      case 'deleted':
        return tracker.remove(event.object, recentGap())
      case 'caught-up':
        return look(null)
      case 'blind':
        return look(event.reason)
    }
  }
}
