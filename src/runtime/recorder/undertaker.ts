import type { Death } from '#/core/recorder/death.ts'
import { mayBeClean } from '#/core/recorder/clean-end.ts'
import { timeOfMissedDeath } from '#/core/recorder/end-of-life.ts'
import { readEvent } from '#/core/kubernetes/event-facts.ts'
import type { Clock } from '#/ports/clock.ts'
import type { Log } from '#/ports/log.ts'
import type { Postmortem } from '#/ports/store/deaths.ts'
import type { Store } from '#/ports/store/store.ts'
import { isAuditAwaited } from './add-audit.ts'
import { awaitAudit, completeByAudit, recordBeforeAudit } from './await-audit.ts'
import type { CaptureMetrics } from './capture-metrics.ts'
import { deathLine } from './death-line.ts'
import type { EndedPod } from './ended-pod.ts'
import type { EventCache } from './event-cache.ts'
import type { LogFollowers } from './log-followers.ts'
import { createPendingPods } from './pending-pods.ts'
import type { PendingPods } from './pending-pods.ts'
import { complete, isKept, recordIfClean, recordInHand } from './post-mortem.ts'
import type { PostMortemMeans, Unjudged } from './post-mortem.ts'
import type { CaptureSettings } from './settings.ts'
import type { SightingBook } from './sighting-book.ts'
import { createWorkQueue } from '#/runtime/queue/work-queue.ts'

/** Sees to each end: what is in hand at once, the rest a moment later, and tells of it. */
export type Undertaker = {
  /** `mayBeKnown`: somebody before us may have recorded it. */
  readonly take: (pod: EndedPod, mayBeKnown: boolean) => void
  /** It should have started by now. What keeps it is recorded once, where the rules name it; its end replaces that. */
  readonly askAbout: (pod: EndedPod) => void
  /** It is not watched any more. */
  readonly forget: (uid: string) => void
  /** When what was begun is written. */
  readonly finish: () => Promise<void>
}

type Means = {
  readonly means: PostMortemMeans
  readonly store: Pick<Store, 'postmortems'>
  readonly followers: LogFollowers
  readonly book: SightingBook
  readonly events: EventCache
  readonly metrics: CaptureMetrics
  readonly publish: (death: Death) => void
  readonly clock: Clock
  readonly log: Log
  readonly settings: CaptureSettings
}

const LAST_WORDS_MS = 1000
const EVENTS_LISTED_MS = 5000
const FINISH_MS = 10_000
const AT_ONCE = 16

/** Of a runner whose pod was never made. */
export function tellRefused(given: Telling, death: Death, foundAt: number): void {
  tell(given, { missed: false, foundAt }, death)
}

export function createUndertaker(given: Means, signal: AbortSignal): Undertaker {
  const { log, settings, clock, book } = given
  const pending = createPendingPods()
  const fault = (error: unknown): void =>
    log.error('a post-mortem failed', { why: error instanceof Error ? error.message : String(error) })
  const early = createWorkQueue({ mostAtOnce: AT_ONCE, mostWaiting: settings.mostWaiting }, fault)
  const late = createWorkQueue(settings, fault)
  const tooMuch = (pod: EndedPod, what: string): void => {
    letGo(given, pod)
    log.error(`too many deaths at once: ${what}`, { pod: nameOf(pod), uid: pod.uid })
  }
  /** A fault of ours with one pod must not keep what is held of it for ever. */
  const orLetGo = async (pod: EndedPod, work: () => Promise<void>): Promise<void> => {
    try {
      await work()
    } catch (error) {
      letGo(given, pod)
      throw error
    }
  }
  const push: Push = (pod, work) => late.push(() => orLetGo(pod, work))
  const giveUp = (pod: EndedPod): void => tooMuch(pod, 'this one is recorded and not judged')
  const { completeLater, judgeLater } = createCompletion(given, { push, giveUp }, signal)
  const perform = async (pod: EndedPod, mayBeKnown: boolean): Promise<void> => {
    const known = mayBeKnown ? await knownOf(given, pod) : null
    const atStart = known === null ? null : causeOfItsStart(known, pod)
    const toldBefore = pending.take(pod.uid) ?? atStart
    if (known !== null && atStart === null && isSettled(known, pod)) {
      if (known.verdict !== null) return book.close(pod.uid)
      return void judgeLater(asKnown(pod, known), { row: known, told: null }, null)
    }
    const timed = pod.missed ? await withTime(given, pod, signal) : pod
    if (toldBefore === null && (await closeIfClean(given, timed, signal))) return
    await recordInHand(given.means, timed)
    void completeLater(timed, toldBefore)
  }
  return {
    take: (pod, mayBeKnown) => {
      const work = (): Promise<void> => orLetGo(pod, () => perform(pod, mayBeKnown))
      if (early.push(work) === 'full') tooMuch(pod, 'this one is not recorded')
    },
    askAbout: (pod) => {
      if (!pending.mayAsk(pod.uid, clock.now())) return
      // With too much to do it is asked again a little later.
      late.push(() => recordKept(given, { ...pod, isPending: true }, { pending, signal }))
    },
    forget: (uid) => void pending.take(uid),
    finish: async () => {
      await Promise.race([Promise.all([early.idle(), late.idle()]), clock.sleep(FINISH_MS)])
    },
  }
}

/**
 * What comes after the first record. Whoever waits holds no place in the queue; when we stop, whoever starts next finds it
 * by its sighting, and goes on from what is written.
 */
function createCompletion(given: Means, { push, giveUp }: Queue, signal: AbortSignal) {
  const { means, clock, settings, store } = given
  const judgeLater = async (pod: EndedPod, unjudged: Unjudged, toldBefore: string | null): Promise<void> => {
    await awaitAudit(means.ports, pod, signal)
    const work = async (): Promise<void> => {
      const death = await completeByAudit({ ...means, store }, { pod, unjudged }, signal)
      if (death !== null) close(given, pod, death, toldBefore)
    }
    // All of them are awaited to the same moment, and whoever finds no place has waited long enough to wait a little more.
    while (!signal.aborted && push(pod, work) === 'full') await clock.sleep(TRY_AGAIN_MS, signal)
  }
  const completeLater = async (pod: EndedPod, toldBefore: string | null): Promise<void> => {
    await clock.sleep(settings.settleMs, signal)
    if (signal.aborted) return
    const work = async (): Promise<void> => {
      if (isAuditAwaited(means.ports, pod, clock.now())) {
        void judgeLater(pod, await recordBeforeAudit(means, pod, signal), toldBefore)
        return
      }
      const death = await complete(means, pod, signal)
      if (death !== null) close(given, pod, death, toldBefore)
    }
    if (push(pod, work) === 'full') giveUp(pod)
  }
  return { completeLater, judgeLater }
}

type Push = (pod: EndedPod, work: () => Promise<void>) => 'taken' | 'full'
type Queue = { readonly push: Push; readonly giveUp: (pod: EndedPod) => void }

const TRY_AGAIN_MS = 500

type Asking = { readonly pending: PendingPods; readonly signal: AbortSignal }

async function recordKept(given: Means, pod: EndedPod, { pending, signal }: Asking): Promise<void> {
  const { means } = given
  const known = await knownOf(given, pod)
  const verdict = known?.verdict ?? null
  if (verdict !== null) return pending.told(pod.uid, verdict.cause)
  if (!(await isKept(means, pod, signal))) return
  await recordInHand(means, pod)
  // It may end meanwhile, and that is told by itself.
  const death = await complete(means, pod, signal, { isWanted: () => pending.has(pod.uid) })
  if (death === null) return
  pending.told(pod.uid, death.cause)
  tell(given, pod, death)
}

async function knownOf({ store, log }: Means, pod: EndedPod): Promise<Postmortem | null> {
  try {
    const rows = await store.postmortems.list({ name: pod.facts.name, limit: 20 })
    return rows.find(({ uid }) => uid === pod.uid) ?? null
  } catch (error) {
    log.warn('whether a death is known cannot be read', { uid: pod.uid, why: String(error) })
    return null
  }
}

/** Where what is recorded is that it could not start, and it has ended since. */
function causeOfItsStart({ verdict, diedAt }: Postmortem, pod: EndedPod): string | null {
  return verdict?.kind === 'never-started' && diedAt < pod.diedAt ? verdict.cause : null
}

/** More than what is stored cannot be had. */
function isSettled({ verdict }: Postmortem, pod: EndedPod): boolean {
  return verdict !== null || pod.isGone
}

async function closeIfClean(given: Means, pod: EndedPod, signal: AbortSignal): Promise<boolean> {
  if (!mayBeClean(pod.facts)) return false
  await Promise.race([given.followers.ended(pod.uid), given.clock.sleep(LAST_WORDS_MS, signal)])
  const death = await recordIfClean(given.means, pod, signal)
  if (death !== null) close(given, pod, death, null)
  return death !== null
}

/** It was recorded before us, who stopped before it could be judged. When that one found it is as far as its end is known. */
function asKnown(pod: EndedPod, { diedAt }: Postmortem): EndedPod {
  return { ...pod, diedAt, foundAt: pod.missed ? diedAt : pod.foundAt }
}

/** When it went is known from its events, once they are read. */
async function withTime({ clock, means, events }: Means, pod: EndedPod, signal: AbortSignal): Promise<EndedPod> {
  const until = clock.now() + EVENTS_LISTED_MS
  while (means.inHand(pod).watching.from === null && clock.now() < until && !signal.aborted) {
    await clock.sleep(100, signal)
  }
  const told = events.of(pod.uid, null).map((event) => {
    const { lastAt, reason } = readEvent(event)
    return { at: lastAt ?? 0, reason }
  })
  return { ...pod, diedAt: timeOfMissedDeath(pod.facts, { ...pod, events: told }) }
}

/** Its life is over. What was told of it while it could not start is not told again. */
function close(given: Means, pod: EndedPod, death: Death, toldBefore: string | null): void {
  given.book.close(pod.uid)
  letGo(given, pod)
  if (death.cause !== toldBefore) tell(given, pod, death)
}

function letGo({ followers, events }: Means, { uid }: EndedPod): void {
  followers.stop(uid)
  events.forget(uid)
}

type Telling = Pick<Means, 'metrics' | 'publish' | 'log' | 'clock'>

function tell(
  { metrics, publish, log, clock }: Telling,
  pod: Pick<EndedPod, 'missed' | 'foundAt'>,
  death: Death,
): void {
  metrics.died(death, pod.missed ? 0 : (clock.now() - pod.foundAt) / 1000)
  log.info(TOLD.get(death.kind) ?? 'a runner died', deathLine(death))
  publish(death)
}

const TOLD: ReadonlyMap<string, string> = new Map([
  ['not-a-death', 'a runner ended'],
  ['never-started', 'a runner never started'],
])

function nameOf({ facts: { namespace, name } }: EndedPod): string {
  return `${namespace}/${name}`
}
