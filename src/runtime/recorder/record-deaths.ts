import type { Death } from '#/core/recorder/death.ts'
import { goneMeanwhile } from '#/core/recorder/live-pod.ts'
import type { BlindReason } from '#/core/basics/observed.ts'
import type { Kubernetes, WatchEvent } from '#/ports/kubernetes.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'
import { withoutLastApplied } from '#/ports/kubernetes-object.ts'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'
import type { Log } from '#/ports/log.ts'
import type { PendingWrites } from '#/ports/pending-writings.ts'
import type { LivePod } from '#/ports/store/live-pods.ts'
import type { Store } from '#/ports/store/store.ts'
import { eventsFrom } from '#/runtime/collect/lists/write-list.ts'
import type { Metrics } from '#/runtime/metrics/metrics.ts'
import { holdAlike } from './alike-pods.ts'
import { onNodes } from './ask-agent.ts'
import { recorderMetrics } from './recorder-metrics.ts'
import { createDeathQueue } from './death-queue.ts'
import { createDeathStates } from './death-states.ts'
import type { EventWatch } from './draft.ts'
import type { EnrichPorts } from './enrich.ts'
import { createEventCache } from './event-cache.ts'
import type { EventCache } from './event-cache.ts'
import { createPodTracker } from './pod-tracker.ts'
import type { PodTracker, RecentGap } from './pod-tracker.ts'
import { followLogs } from './log-followers.ts'
import { createOutbox } from './outbox.ts'
import type { RecordingMeans } from './save-death.ts'
import { createRefusals } from './refusals.ts'
import type { Refusals } from './refusals.ts'
import { reportDeath } from './report-death.ts'
import { createTrackedPods } from './tracked-pods.ts'
import { createRunnerRecords, watchRunnerRecords } from './runner-records.ts'
import { createLivePodWriter } from './live-pod-writer.ts'
import type { LivePodWriter } from './live-pod-writer.ts'
import type { RecorderSettings } from './settings.ts'

export type RecorderOptions = Omit<EnrichPorts, 'logBytes' | 'agentsBackBy' | 'auditLogBackBy' | 'lastRecord'> &
  Pick<RecordingMeans, 'redact' | 'judge' | 'rules'> & {
    readonly store: Pick<Store, 'deaths' | 'livePods'>
    readonly pending: PendingWrites
    /** For objects that are stored whole. */
    readonly redactObject: (object: unknown) => unknown
    readonly publish: (death: Death) => void
    readonly log: Log
    readonly metrics: Metrics
    readonly settings: RecorderSettings
  }

const SWEEP_MS = 2000
const STORE_RETRY_MS = 1000
const REPLAY_MS = 10_000

/** Watches runner pods and records each death, until the signal. */
export async function recordDeaths(options: RecorderOptions, signal: AbortSignal): Promise<void> {
  const { kubernetes, clock, log, settings, store } = options
  const trackedPods = createTrackedPods()
  const records = createRunnerRecords(clock)
  const expected = new Set<string>()
  const events = createEventCache(settings.mostEvents, (uid) => trackedPods.get(uid) !== null || expected.has(uid))
  const eventWatches = new Map<string, EventWatch>()
  const followers = followLogs(kubernetes, { ...settings, clock }, signal)
  const { mostPendingBytes: mostBytes, mostPendingDiskBytes: mostDiskBytes } = settings
  const outbox = createOutbox({
    ...options,
    deaths: store.deaths,
    folder: options.pending,
    mostBytes,
    mostDiskBytes,
  })
  const livePods = createLivePodWriter(store.livePods, options.redactObject, options)
  const means: RecordingMeans = {
    ...options,
    ports: { ...options, ...buildPorts(settings, clock.now()), lastRecord: records.ofPod },
    outbox,
    inHand: ({ uid, facts }) => ({
      events: events.of(uid, facts.node),
      watching: eventWatches.get(facts.namespace) ?? eventWatches.get('') ?? UNWATCHED,
      heard: followers.heard(uid),
    }),
  }
  const metrics = recorderMetrics(options.metrics)
  const states = createDeathStates()
  const deathQueue = createDeathQueue({ ...options, means, states, followers, livePods, events, metrics }, signal)
  const report = (death: Death, foundAt: number): void =>
    reportDeath({ ...options, metrics }, { missed: false, foundAt }, death)
  const refusals = createRefusals({ ...options, means, states, report }, signal)
  const livePodsBefore = new Map<string, LivePod>()
  const livePodBefore = (uid: string): LivePod | null => livePodsBefore.get(uid) ?? null
  const { startWithinMs } = settings
  const tracker = createPodTracker(
    { kubernetes, clock, trackedPods, states, livePods, followers, deathQueue, startWithinMs, livePodBefore },
    signal,
  )
  const background = [outbox.run(signal), livePods.run(signal)]
  await readLivePods(livePodsBefore, { ...options, livePods }, signal)
  for (const uid of livePodsBefore.keys()) expected.add(uid)
  const places = settings.namespaces ?? ['']
  const watches = places.flatMap((namespace) => [
    watchEvents({ kubernetes, clock, events: hearing(events, refusals), eventWatches }, namespace, signal),
    watchRunnerRecords({ kubernetes, records, hearRunner: refusals.hearRunner }, namespace, signal),
    watchPods({ options, tracker, livePodsBefore, expected }, namespace, signal),
  ])
  log.info('watching runner pods', { selector: settings.labelSelector, namespaces: places.join(',') || 'all' })
  while (!signal.aborted) {
    tracker.sweep()
    metrics.watched(trackedPods.all(), outbox.waiting(), clock.now())
    options.agents?.watch(onNodes(trackedPods.all()))
    await clock.sleep(SWEEP_MS, signal)
  }
  await Promise.all(watches)
  await Promise.all([deathQueue.finish(), refusals.finish()])
  await Promise.all(background)
}

function buildPorts({ logBytes, agentsBackMs, auditLogBackMs }: RecorderSettings, now: number) {
  return { logBytes, agentsBackBy: now + agentsBackMs, auditLogBackBy: now + auditLogBackMs }
}

const UNWATCHED: EventWatch = { from: null, blindSince: null, reason: null }

async function readLivePods(
  livePodsBefore: Map<string, LivePod>,
  { livePods, clock, log }: Pick<RecorderOptions, 'clock' | 'log'> & { readonly livePods: LivePodWriter },
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      for (const livePod of await livePods.read()) livePodsBefore.set(livePod.uid, livePod)
      return
    } catch (error) {
      log.warn('cannot read live pods from the store', { why: error instanceof Error ? error.message : String(error) })
      await clock.sleep(STORE_RETRY_MS, signal)
    }
  }
}

type PodWatch = {
  readonly options: Pick<RecorderOptions, 'kubernetes' | 'clock' | 'log' | 'settings'>
  readonly tracker: PodTracker
  readonly livePodsBefore: Map<string, LivePod>
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
  const { options, tracker } = watch
  let gap: BlindReason | null = null
  let lastGap: RecentGap | null = null
  let isFirst = true
  /** The first events after a gap are about what happened in it. */
  const recentGap = (): RecentGap | null =>
    lastGap !== null && options.clock.now() - lastGap.until < REPLAY_MS ? lastGap : null
  const listed = ({ items, vanished }: Extract<WatchEvent, { kind: 'listed' }>): void => {
    for (const object of items) tracker.see(object, isFirst)
    if (isFirst) findMissed(watch, namespace, items)
    for (const object of vanished) tracker.vanish(object, gap)
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

/** Pods that were live before our start and are gone. */
function findMissed(
  { tracker, livePodsBefore, expected }: PodWatch,
  namespace: string,
  items: readonly KubeObject[],
): void {
  const present = new Set(items.map(({ metadata }) => metadata.uid))
  const namespaces = namespace === '' ? null : new Set([namespace])
  for (const livePod of goneMeanwhile([...livePodsBefore.values()], present, { namespaces })) tracker.miss(livePod)
  for (const { uid, namespace: own } of livePodsBefore.values()) {
    if (present.has(uid)) expected.delete(uid)
    // There is one for each live pod, and it is needed only once.
    if (namespaces?.has(own) ?? true) livePodsBefore.delete(uid)
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

type EventWatching = Pick<RecorderOptions, 'clock'> & {
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
      // A new list does not shorten the time that is already covered.
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
