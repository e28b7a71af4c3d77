import type { Death } from '#/core/recorder/death.ts'
import { goneMeanwhile } from '#/core/recorder/sighting.ts'
import type { BlindReason } from '#/core/basics/observed.ts'
import type { Kubernetes, WatchEvent } from '#/ports/kubernetes.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'
import { withoutLastApplied } from '#/ports/kubernetes-object.ts'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'
import type { Log } from '#/ports/log.ts'
import type { PendingWritings } from '#/ports/pending-writings.ts'
import type { Sighting, Store } from '#/ports/store.ts'
import { eventsFrom } from '#/runtime/collect/write-list.ts'
import type { Metrics } from '#/runtime/metrics.ts'
import { holdAlike } from './alike-pods.ts'
import { onNodes } from './ask-agent.ts'
import { captureMetrics } from './capture-metrics.ts'
import { createDeathQueue } from './death-queue.ts'
import { createDeathStates } from './death-states.ts'
import type { EventWatch } from './draft.ts'
import type { EnrichPorts } from './enrich.ts'
import { createEventCache } from './event-cache.ts'
import type { EventCache } from './event-cache.ts'
import { createLifeKeeper } from './life-keeper.ts'
import type { LifeKeeper, RecentGap } from './life-keeper.ts'
import { followLogs } from './log-followers.ts'
import { createOutbox } from './outbox.ts'
import type { PostMortemMeans } from './post-mortem.ts'
import { createRefusals } from './refusals.ts'
import type { Refusals } from './refusals.ts'
import { reportDeath } from './report-death.ts'
import { createRoster } from './roster.ts'
import { createRunnerRecords, watchRunnerRecords } from './runner-records.ts'
import { createSightingBook } from './sighting-book.ts'
import type { SightingBook } from './sighting-book.ts'
import type { CaptureSettings } from './settings.ts'

export type CaptureOptions = Omit<EnrichPorts, 'logBytes' | 'agentsBackBy' | 'auditBackBy' | 'lastRecord'> &
  Pick<PostMortemMeans, 'redact' | 'judge' | 'rules'> & {
    readonly store: Pick<Store, 'postmortems' | 'sightings'>
    readonly pending: PendingWritings
    /** For objects that are kept as they are. */
    readonly redactObject: (object: unknown) => unknown
    readonly publish: (death: Death) => void
    readonly log: Log
    readonly metrics: Metrics
    readonly settings: CaptureSettings
  }

const SWEEP_MS = 2000
const STORE_RETRY_MS = 1000
const REPLAY_MS = 10_000

/** Watches runner pods and records each end, until the signal. */
export async function capture(options: CaptureOptions, signal: AbortSignal): Promise<void> {
  const { kubernetes, clock, log, settings, store } = options
  const roster = createRoster()
  const records = createRunnerRecords(clock)
  const expected = new Set<string>()
  const events = createEventCache(settings.mostEvents, (uid) => roster.get(uid) !== null || expected.has(uid))
  const eventWatches = new Map<string, EventWatch>()
  const followers = followLogs(kubernetes, { ...settings, clock }, signal)
  const { mostPendingBytes: mostBytes, mostPendingDiskBytes: mostDiskBytes } = settings
  const outbox = createOutbox({
    ...options,
    postmortems: store.postmortems,
    folder: options.pending,
    mostBytes,
    mostDiskBytes,
  })
  const book = createSightingBook(store.sightings, options.redactObject, options)
  const means: PostMortemMeans = {
    ...options,
    ports: { ...options, ...portsOf(settings, clock.now()), lastRecord: records.ofPod },
    outbox,
    inHand: ({ uid, facts }) => ({
      events: events.of(uid, facts.node),
      watching: eventWatches.get(facts.namespace) ?? eventWatches.get('') ?? UNWATCHED,
      heard: followers.heard(uid),
    }),
  }
  const metrics = captureMetrics(options.metrics)
  const states = createDeathStates()
  const deathQueue = createDeathQueue({ ...options, means, states, followers, book, events, metrics }, signal)
  const report = (death: Death, foundAt: number): void =>
    reportDeath({ ...options, metrics }, { missed: false, foundAt }, death)
  const refusals = createRefusals({ ...options, means, states, report }, signal)
  const sightings = new Map<string, Sighting>()
  const sighted = (uid: string): Sighting | null => sightings.get(uid) ?? null
  const { startWithinMs } = settings
  const keeper = createLifeKeeper(
    { kubernetes, clock, roster, states, book, followers, deathQueue, startWithinMs, sighted },
    signal,
  )
  const background = [outbox.run(signal), book.run(signal)]
  await readSightings(sightings, { ...options, book }, signal)
  for (const uid of sightings.keys()) expected.add(uid)
  const places = settings.namespaces ?? ['']
  const watches = places.flatMap((namespace) => [
    watchEvents({ kubernetes, clock, events: hearing(events, refusals), eventWatches }, namespace, signal),
    watchRunnerRecords({ kubernetes, records, hearRunner: refusals.hearRunner }, namespace, signal),
    watchPods({ options, keeper, sightings, expected }, namespace, signal),
  ])
  log.info('watching runner pods', { selector: settings.labelSelector, namespaces: places.join(',') || 'all' })
  while (!signal.aborted) {
    keeper.sweep()
    metrics.watched(roster.all(), outbox.waiting(), clock.now())
    options.agents?.watch(onNodes(roster.all()))
    await clock.sleep(SWEEP_MS, signal)
  }
  await Promise.all(watches)
  await Promise.all([deathQueue.finish(), refusals.finish()])
  await Promise.all(background)
}

function portsOf({ logBytes, agentsBackMs, auditBackMs }: CaptureSettings, now: number) {
  return { logBytes, agentsBackBy: now + agentsBackMs, auditBackBy: now + auditBackMs }
}

const UNWATCHED: EventWatch = { from: null, blindSince: null, reason: null }

async function readSightings(
  sightings: Map<string, Sighting>,
  { book, clock, log }: Pick<CaptureOptions, 'clock' | 'log'> & { readonly book: SightingBook },
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      for (const sighting of await book.read()) sightings.set(sighting.uid, sighting)
      return
    } catch (error) {
      log.warn('who lived before cannot be read', { why: error instanceof Error ? error.message : String(error) })
      await clock.sleep(STORE_RETRY_MS, signal)
    }
  }
}

type PodWatch = {
  readonly options: Pick<CaptureOptions, 'kubernetes' | 'clock' | 'log' | 'settings'>
  readonly keeper: LifeKeeper
  readonly sightings: Map<string, Sighting>
  readonly expected: Set<string>
}

async function watchPods(watch: PodWatch, namespace: string, signal: AbortSignal): Promise<void> {
  const { options } = watch
  const { labelSelector } = options.settings
  const place = namespace === '' ? {} : { namespace }
  const request = { resource: RESOURCES.pods, labelSelector, trim: holdAlike(withoutLastApplied), ...place }
  const hear = podListener(watch, namespace)
  for await (const event of options.kubernetes.watch(request, signal)) hear(event)
}

function podListener(watch: PodWatch, namespace: string): (event: WatchEvent) => void {
  const { options, keeper } = watch
  let gap: BlindReason | null = null
  let lastGap: RecentGap | null = null
  let isFirst = true
  /** After a gap the watch tells first what happened in it. */
  const recentGap = (): RecentGap | null =>
    lastGap !== null && options.clock.now() - lastGap.until < REPLAY_MS ? lastGap : null
  const listed = ({ items, vanished }: Extract<WatchEvent, { kind: 'listed' }>): void => {
    for (const object of items) keeper.see(object, isFirst)
    if (isFirst) tellMissed(watch, namespace, items)
    for (const object of vanished) keeper.vanish(object, gap)
    isFirst = false
  }
  const look = (reason: BlindReason | null): void => {
    const where = { namespace: namespace === '' ? 'all' : namespace }
    if (reason === null && gap !== null) options.log.info('watching runner pods again', where)
    if (reason !== null && gap === null) {
      options.log.warn('runner pods cannot be watched', { ...where, why: `${reason.code}: ${reason.detail}` })
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
        return keeper.see(event.object, false, recentGap())
      case 'deleted':
        return keeper.remove(event.object, recentGap())
      case 'caught-up':
        return look(null)
      case 'blind':
        return look(event.reason)
    }
  }
}

/** Those that lived when we were last here, and are gone. */
function tellMissed({ keeper, sightings, expected }: PodWatch, namespace: string, items: readonly KubeObject[]): void {
  const present = new Set(items.map(({ metadata }) => metadata.uid))
  const namespaces = namespace === '' ? null : new Set([namespace])
  for (const sighting of goneMeanwhile([...sightings.values()], present, { namespaces })) keeper.miss(sighting)
  for (const { uid, namespace: own } of sightings.values()) {
    if (present.has(uid)) expected.delete(uid)
    // They are as many as the pods that live, and needed only once.
    if (namespaces?.has(own) ?? true) sightings.delete(uid)
  }
}

function hearing(events: EventCache, refusals: Refusals): EventWatching['events'] {
  return {
    take: (event) => {
      events.take(event)
      refusals.hearEvent(event)
    },
  }
}

type EventWatching = Pick<CaptureOptions, 'clock'> & {
  readonly kubernetes: Pick<Kubernetes, 'watch'>
  readonly events: { readonly take: (event: KubeObject) => void }
  readonly eventWatches: Map<string, EventWatch>
}

async function watchEvents(
  { kubernetes, clock, events, eventWatches }: EventWatching,
  namespace: string,
  signal: AbortSignal,
): Promise<void> {
  const place = namespace === '' ? {} : { namespace }
  let from: number | null = null
  const heard = (event: WatchEvent): void => {
    if (event.kind === 'listed') {
      // A list anew does not make what was known before unknown.
      const listedFrom = eventsFrom(event.items, clock.now())
      from = from === null ? listedFrom : Math.min(from, listedFrom)
      for (const one of event.items) events.take(one)
      eventWatches.set(namespace, { from, blindSince: null, reason: null })
    } else if (event.kind === 'added' || event.kind === 'modified') events.take(event.object)
    else if (event.kind === 'caught-up') eventWatches.set(namespace, { from, blindSince: null, reason: null })
    else if (event.kind === 'blind') {
      const blindSince = eventWatches.get(namespace)?.blindSince ?? clock.now()
      eventWatches.set(namespace, { from, blindSince, reason: event.reason })
    }
  }
  for await (const event of kubernetes.watch({ resource: RESOURCES.events, ...place }, signal)) heard(event)
}
