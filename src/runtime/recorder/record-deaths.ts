import type { Death } from '#/core/recorder/death.ts'
import type { BlindReason } from '#/core/basics/observed.ts'
import type { Kubernetes, WatchEvent } from '#/ports/kubernetes.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'
import { withoutLastApplied } from '#/ports/kubernetes-object.ts'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'
import type { Log } from '#/ports/log.ts'
import type { Store } from '#/ports/store/store.ts'
import { eventsFrom } from '#/runtime/collect/lists/write-list.ts'
import type { Metrics } from '#/runtime/metrics/metrics.ts'
import { holdAlike } from './watching/alike-pods.ts'
import { onNodes } from './ask-agent.ts'
import { isWithin } from '#/core/basics/within.ts'
import { trueFor } from './counted-wait.ts'
import { recorderMetrics } from './recorder-metrics.ts'
import type { RecorderMetrics } from './recorder-metrics.ts'
import { createCleanEnds } from './watching/clean-ends.ts'
import { createDeathQueue } from './death-queue.ts'
import type { DeathQueue } from './death-queue.ts'
import { createDeathStates } from './death-states.ts'
import type { DeathStates } from './death-states.ts'
import type { EventWatch } from './draft.ts'
import { readCollected } from './await-audit-log.ts'
import { shareSources } from './enrich-ports.ts'
import type { EnrichPorts } from './enrich-ports.ts'
import { createHeldEvidence } from './held-evidence.ts'
import type { HeldEvidence } from './held-evidence.ts'
import { createEventCache } from './watching/event-cache.ts'
import type { EventCache } from './watching/event-cache.ts'
import { createPodTracker } from './pod-tracker.ts'
import type { PodTracker, RecentGap } from './pod-tracker.ts'
import { followLogs } from './watching/log-followers.ts'
import type { LogFollowers } from './watching/log-followers.ts'
import type { Outbox } from '#/runtime/outbox/outbox.ts'
import { createBurstLog } from './progress.ts'
import { createSourceLanes } from './read-source.ts'
import { resumeUnjudged } from './resume-unjudged.ts'
import type { RecordingMeans } from './save-death.ts'
import { createRefusals } from './refusals.ts'
import type { Refusals } from './refusals.ts'
import { reportDeath } from './report-death.ts'
import { createTrackedPods } from './watching/tracked-pods.ts'
import type { TrackedPods } from './watching/tracked-pods.ts'
import { createRunnerRecords, watchRunnerRecords } from './watching/runner-records.ts'
import { createLivePodWriter } from './watching/live-pod-writer.ts'
import type { RedactObject } from './watching/live-pod-writer.ts'
import { createLivePodsBefore } from './watching/live-pods-before.ts'
import type { LivePodsBefore } from './watching/live-pods-before.ts'
import type { RecorderSettings } from './settings.ts'

export type RecorderOptions = Omit<
  EnrichPorts,
  'logBytes' | 'mayAgentsReturn' | 'agentsBackMs' | 'mayAuditLogReturn' | 'lastRecord' | 'lanes' | 'shared'
> &
  Pick<RecordingMeans, 'redact' | 'judge' | 'rules'> & {
    readonly store: Pick<Store, 'deaths' | 'livePods'>
    /** It outlives this run: what waits in it is stored also by a replica that no longer leads. */
    readonly outbox: Pick<Outbox, 'put' | 'find' | 'waiting' | 'isClear'>
    /** For objects that are stored whole. */
    readonly redactObject: RedactObject
    readonly publish: (death: Death) => void
    /** Others that need the same watches; namespace empty: all. */
    readonly heard?: (kind: 'pods' | 'runners', namespace: string, event: WatchEvent) => void
    readonly log: Log
    readonly metrics: Metrics
    readonly settings: RecorderSettings
  }

const SWEEP_MS = 2000
const REPLAY_MS = 10_000

/** Watches runner pods and records each death, until the signal. */
export async function recordDeaths(options: RecorderOptions, signal: AbortSignal): Promise<void> {
  const { kubernetes, clock, log, settings, store } = options
  const trackedPods = createTrackedPods()
  const records = createRunnerRecords(clock)
  const isWanted = (uid: string): boolean => trackedPods.get(uid) !== null || before.isExpected(uid)
  const events = createEventCache(settings.mostEvents, isWanted)
  const eventWatches = new Map<string, EventWatch>()
  const followers = followLogs(kubernetes, { ...settings, clock }, signal)
  const livePods = createLivePodWriter(store.livePods, options.redactObject, options)
  const held = createHeldEvidence(settings.mostHeldBytes, clock)
  const means: RecordingMeans = {
    ...options,
    ports: { ...buildPorts(options, signal), lastRecord: records.ofPod },
    held,
    stored: (uid) => readCollected({ ...store, outbox: options.outbox }, uid),
    inHand: pickInHand({ events, eventWatches, followers }),
  }
  const metrics = recorderMetrics(options.metrics)
  const states = createDeathStates()
  const cleanEnds = createCleanEnds(options)
  const queued = { ...options, means, states, followers, livePods, events, metrics, cleanEnds }
  const deathQueue = createDeathQueue(queued, signal)
  const report = (death: Death, foundAt: number): void =>
    reportDeath({ ...options, metrics }, { missed: false, foundAt }, death)
  const refusals = createRefusals({ ...options, means, states, report }, signal)
  const isKnown = (uid: string): boolean => trackedPods.get(uid) !== null || states.get(uid) !== null
  const before: LivePodsBefore = createLivePodsBefore({
    livePods,
    clock,
    log,
    isKnown,
    miss: (pod) => tracker.miss(pod),
  })
  const livePodBefore = before.get
  const tracking = { kubernetes, clock, trackedPods, states, livePods, followers, deathQueue, livePodBefore }
  const letGo = (node: string, uid: string): void => options.agents?.stored(node, uid)
  const tracker = createPodTracker({ ...tracking, letGo, startWithinMs: settings.startWithinMs }, signal)
  const background = livePods.run(signal)
  await before.read(signal)
  const places = settings.namespaces ?? ['']
  const firstLists = places.map(() => Promise.withResolvers<void>())
  const watches = places.flatMap((namespace, index) => [
    watchEvents({ kubernetes, clock, events: hearing(events, refusals), eventWatches }, namespace, signal),
    watchRunnerRecords({ ...options, records, hearRunner: refusals.hearRunner }, namespace, signal),
    watchPods({ options, tracker, before, listed: firstLists[index]?.resolve }, namespace, signal),
  ])
  log.info('watching runner pods', { selector: settings.labelSelector, namespaces: places.join(',') || 'all' })
  const listedAll = Promise.all(firstLists.map(({ promise }) => promise))
  const resuming = resumeUnjudged({ ...options, states, trackedPods, deathQueue, listedAll }, signal)
  const looking = cleanEnds.run(signal)
  await sweep(
    options,
    { tracker, trackedPods, outbox: options.outbox, states, metrics, followers, held, deathQueue },
    signal,
  )
  await Promise.all([...watches, resuming, looking])
  await Promise.all([deathQueue.finish(), refusals.finish()])
  await background
}

type Swept = {
  readonly tracker: PodTracker
  readonly trackedPods: TrackedPods
  readonly outbox: Pick<Outbox, 'waiting'>
  readonly states: DeathStates
  readonly metrics: RecorderMetrics
  readonly followers: LogFollowers
  readonly held: HeldEvidence
  readonly deathQueue: DeathQueue
}

/** Until the signal. */
async function sweep(options: RecorderOptions, swept: Swept, signal: AbortSignal): Promise<void> {
  const { clock, log, progress, agents } = options
  const { tracker, trackedPods, outbox, states, metrics, followers, held, deathQueue } = swept
  const burst = createBurstLog(log, progress)
  while (!signal.aborted) {
    tracker.sweep()
    metrics.watched(trackedPods.all(), outbox.waiting(), clock.now())
    metrics.open(states.counts(), progress.counts())
    metrics.held({ logs: followers.bytes(), stored: held.bytes(), gathered: deathQueue.gatheredBytes() })
    burst.look(states.totals(), clock.now())
    agents?.watch(onNodes(trackedPods.all()))
    await clock.sleep(SWEEP_MS, signal)
  }
}

function buildPorts(options: RecorderOptions, signal: AbortSignal): Omit<EnrichPorts, 'lastRecord'> {
  const { clock, settings } = options
  const { logBytes, agentsBackMs, auditLogBackMs } = settings
  const waits = {
    mayAgentsReturn: trueFor(agentsBackMs, clock, signal),
    mayAuditLogReturn: trueFor(auditLogBackMs, clock, signal),
    agentsBackMs,
  }
  return { ...options, ...waits, logBytes, lanes: createSourceLanes(), shared: shareSources(options, signal) }
}

type Remembered = {
  readonly events: EventCache
  readonly eventWatches: ReadonlyMap<string, EventWatch>
  readonly followers: LogFollowers
}

function pickInHand({ events, eventWatches, followers }: Remembered): RecordingMeans['inHand'] {
  return ({ uid, facts }) => ({
    events: events.of(uid, facts.node),
    watching: eventWatches.get(facts.namespace) ?? eventWatches.get('') ?? UNWATCHED,
    heard: followers.heard(uid),
  })
}

const UNWATCHED: EventWatch = { from: null, blindSince: null, reason: null }

type PodWatch = {
  readonly options: Pick<RecorderOptions, 'kubernetes' | 'clock' | 'log' | 'settings' | 'heard'>
  readonly tracker: PodTracker
  readonly before: Pick<LivePodsBefore, 'listed'>
  /** After the first list. */
  readonly listed: (() => void) | undefined
}

async function watchPods(watch: PodWatch, namespace: string, signal: AbortSignal): Promise<void> {
  const { options } = watch
  const { labelSelector } = options.settings
  const place = namespace === '' ? {} : { namespace }
  const request = { resource: RESOURCES.pods, labelSelector, trim: holdAlike(withoutLastApplied), ...place }
  const hear = podListener(watch, namespace)
  for await (const event of options.kubernetes.watch(request, signal)) {
    hear(event)
    options.heard?.('pods', namespace, event)
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
    if (isFirst) watch.before.listed(namespace, items)
    for (const object of vanished) tracker.vanish(object, gap)
    if (isFirst) watch.listed?.()
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
