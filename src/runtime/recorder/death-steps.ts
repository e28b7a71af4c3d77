import { toDeath } from '#/core/recorder/death.ts'
import type { Death } from '#/core/recorder/death.ts'
import { mayBeClean } from '#/core/recorder/clean-end.ts'
import { timeOfMissedDeath } from '#/core/recorder/end-of-life.ts'
import type { DeathEvent, DeathState, StateIn } from '#/core/recorder/lifecycle.ts'
import { readEvent } from '#/core/kubernetes/event-facts.ts'
import type { DeathRecord } from '#/ports/store/deaths.ts'
import type { Store } from '#/ports/store/store.ts'
import { findRow } from '#/runtime/outbox/find-death.ts'
import { isAuditLogAwaited } from './add-audit-log-events.ts'
import { gatherAuditLogEvents, gatherBeforeAuditLog } from './await-audit-log.ts'
import type { BeforeAuditLog } from './await-audit-log.ts'
import { waitWhile } from './counted-wait.ts'
import { countBytes } from './held-evidence.ts'
import type { CleanEnds } from './watching/clean-ends.ts'
import type { DeathStates } from './death-states.ts'
import type { EndedPod } from './ended-pod.ts'
import type { EventCache } from './watching/event-cache.ts'
import type { LogFollowers } from './watching/log-followers.ts'
import {
  complete,
  gather,
  isKept,
  judgeGathered,
  recordIfClean,
  recordInHand,
  saveNodeEvidence,
  storeGathered,
} from './save-death.ts'
import type { Gathered, RecordedClean, RecordingMeans } from './save-death.ts'
import { reportDeath } from './report-death.ts'
import type { Reporting } from './report-death.ts'
import type { LivePodWriter } from './watching/live-pod-writer.ts'

/** What the recorder has to do for a death in this state. */
export type Work = { readonly pod: EndedPod } & (
  | { readonly at: 'overdue' }
  /** `mayBeKnown`: another process may have recorded it. */
  | { readonly at: 'seen'; readonly mayBeKnown: boolean }
  | ({ readonly at: 'recorded' } & Known)
  | ({ readonly at: 'saved' } & Known)
  | ({ readonly at: 'awaiting-audit-log' } & BeforeAuditLog)
  | { readonly at: 'gathered'; readonly gathered: Gathered }
  | { readonly at: 'judged'; readonly death: Death }
)

/** As another process recorded it; null where this one did. */
type Known = { readonly known: DeathRecord | null }

export type WorkIn<S extends DeathState> = Extract<Work, { at: S }>

export type StepMeans = Reporting & {
  readonly means: RecordingMeans
  readonly states: DeathStates
  readonly store: Pick<Store, 'deaths'>
  readonly followers: LogFollowers
  readonly livePods: LivePodWriter
  readonly events: EventCache
  readonly cleanEnds: Pick<CleanEnds, 'hold'>
  /** It is judged again, with all sources. */
  readonly reopen: (pod: EndedPod, clean: RecordedClean) => void
}

const LAST_WORDS_MS = 1000
const EVENTS_LISTED_MS = 5000
const LOOK_AGAIN_MS = 100

/** The event, and the work that follows where the table agrees. */
export function after(states: DeathStates, event: DeathEvent, work: Work): Work | null {
  return states.apply(work.pod.uid, event)?.state === work.at ? work : null
}

/** Does the work of one state, and returns the work of the next. */
export function perform(
  given: StepMeans,
  work: WorkIn<StateIn<'record' | 'save' | 'gather' | 'judge'>>,
  signal: AbortSignal,
): Promise<Work | null> {
  switch (work.at) {
    case 'overdue':
      return explainOverdue(given, work, signal)
    case 'seen':
      return record(given, work, signal)
    case 'recorded':
      return saveFirst(given, work, signal)
    case 'saved':
      return gatherRest(given, work, signal)
    case 'awaiting-audit-log':
      return addAuditLog(given, work, signal)
    case 'gathered':
      return judgeDeath(given, work, signal)
  }
}

/** The pod should have started by now. What keeps it is recorded once, where the rules name it; its end replaces that. */
async function explainOverdue(given: StepMeans, { pod }: WorkIn<'overdue'>, signal: AbortSignal): Promise<null> {
  const { means, states } = given
  const isOverdue = (): boolean => states.get(pod.uid)?.state === 'overdue'
  const known = await findKnown(given, pod)
  if (known !== null) states.apply(pod.uid, lookedUp(known, pod, false))
  if (!isOverdue() || !(await isKept(means, pod, signal))) return null
  await recordInHand(means, pod)
  // It may end meanwhile, and its end is reported by itself.
  const death = await complete(means, pod, { signal, isWanted: isOverdue })
  if (death === null) return null
  states.apply(pod.uid, { kind: 'judged', cause: death.cause })
  reportDeath(given, pod, death)
  return null
}

/** Another process may have recorded it, or we before a restart: then the work goes on from what is stored. */
async function record(given: StepMeans, work: WorkIn<'seen'>, signal: AbortSignal): Promise<Work | null> {
  const { states, livePods, means } = given
  const { pod } = work
  const known = work.mayBeKnown ? await findKnown(given, pod) : null
  if (known === null) return recordSeen(given, pod, signal)
  const collected = known.verdict === null ? await means.stored(pod.uid) : null
  const isSaved = collected?.meta.sources.get('cgroup')?.kind === 'looked'
  const resumed = states.apply(pod.uid, lookedUp(known, pod, isSaved))?.state
  if (resumed === 'notified') {
    livePods.remove(pod.uid)
    letGo(given, pod)
  }
  if (resumed !== 'recorded' && resumed !== 'saved') return recordSeen(given, pod, signal)
  if (collected !== null) means.held.put(pod.uid, collected)
  return { at: resumed, pod: asKnown(pod, known), known }
}

/** What is at hand is stored at once; a clean end is one row and needs no more. */
async function recordSeen(given: StepMeans, pod: EndedPod, signal: AbortSignal): Promise<Work | null> {
  const { means, states } = given
  const phase = states.get(pod.uid)
  if (phase?.state !== 'seen') return null
  const timed = pod.missed ? await withTime(given, pod, signal) : pod
  const clean = phase.reported === null ? await recordClean(given, timed, signal) : null
  if (clean !== null) {
    holdClean(given, timed, clean)
    return judged(states, timed, toDeath(clean.row))
  }
  await means.ports.progress.recording(() => recordInHand(means, timed))
  return after(states, { kind: 'recorded' }, { at: 'recorded', pod: timed, known: null })
}

/** GitHub is asked about it later, and only if it is not too much to keep until then. */
function holdClean({ cleanEnds, reopen }: StepMeans, pod: EndedPod, clean: RecordedClean): void {
  const { name: runner } = pod.facts
  const { job, collected } = clean
  cleanEnds.hold({ runner, endedAt: pod.diedAt, job, bytes: countBytes(collected), reopen: () => reopen(pod, clean) })
}

/** Before anything slower: what its node has goes with the pod. */
async function saveFirst(given: StepMeans, work: WorkIn<'recorded'>, signal: AbortSignal): Promise<Work | null> {
  await saveNodeEvidence(given.means, work.pod, signal)
  return after(given.states, { kind: 'saved' }, { ...work, at: 'saved' })
}

async function gatherRest(given: StepMeans, work: WorkIn<'saved'>, signal: AbortSignal): Promise<Work | null> {
  const { means, states } = given
  const { pod } = work
  if (isAuditLogAwaited(means.ports, pod)) {
    const before = await gatherBeforeAuditLog(means, work, signal)
    return after(states, { kind: 'audit-log-awaited' }, { at: 'awaiting-audit-log', pod, ...before })
  }
  const gathered = await gather(means, work, signal)
  return after(states, { kind: 'gathered' }, { at: 'gathered', pod, gathered })
}

async function addAuditLog(
  { means, states }: StepMeans,
  work: WorkIn<'awaiting-audit-log'>,
  signal: AbortSignal,
): Promise<Work | null> {
  const gathered = await gatherAuditLogEvents(means, work, signal)
  return after(states, { kind: 'gathered' }, { at: 'gathered', pod: work.pod, gathered })
}

async function judgeDeath(given: StepMeans, work: WorkIn<'gathered'>, signal: AbortSignal): Promise<Work | null> {
  const { means, states } = given
  const { pod, gathered } = work
  try {
    return judged(states, pod, await judgeGathered(means, gathered, signal))
  } catch (error) {
    await storeGathered(means, gathered)
    throw error
  }
}

function judged(states: DeathStates, pod: EndedPod, death: Death): Work | null {
  return after(states, { kind: 'judged', cause: death.cause }, { at: 'judged', pod, death })
}

/** The verdict is stored. A cause that was reported while the pod could not start is not reported again. */
export function handOver(given: StepMeans, { pod, death }: WorkIn<'judged'>): void {
  const phase = given.states.get(pod.uid)
  given.livePods.remove(pod.uid)
  release(given, pod)
  given.means.held.forget(pod.uid)
  letGo(given, pod)
  if (phase?.state === 'judged' && phase.cause !== phase.reported) reportDeath(given, pod, death)
  given.states.apply(pod.uid, { kind: 'notified' })
}

/** All that is needed of its node is stored. */
function letGo({ means }: StepMeans, { uid, facts: { node } }: EndedPod): void {
  if (node !== null) means.ports.agents?.stored(node, uid)
}

/** Frees what is held in memory for a pod. */
export function release(
  { followers, events, means }: Pick<StepMeans, 'followers' | 'events' | 'means'>,
  { uid }: EndedPod,
): void {
  followers.stop(uid)
  events.forget(uid)
  means.held.drop(uid)
}

async function findKnown({ store, means, log }: StepMeans, pod: EndedPod): Promise<DeathRecord | null> {
  try {
    return await findRow({ ...store, outbox: means.outbox }, { uid: pod.uid, name: pod.facts.name })
  } catch (error) {
    log.warn('cannot look up a death in the store', { uid: pod.uid, why: String(error) })
    return null
  }
}

function lookedUp({ verdict, diedAt }: DeathRecord, pod: EndedPod, isSaved: boolean): DeathEvent {
  return { kind: 'looked-up', stored: { verdict, isOlder: diedAt < pod.diedAt, isGone: pod.isGone, isSaved } }
}

async function recordClean(given: StepMeans, pod: EndedPod, signal: AbortSignal): Promise<RecordedClean | null> {
  if (!mayBeClean(pod.facts)) return null
  await Promise.race([given.followers.ended(pod.uid), given.clock.sleep(LAST_WORDS_MS, signal)])
  return recordIfClean(given.means, pod, signal)
}

/** The process before us recorded it but did not judge it. The stored time of death is the best that is known. */
function asKnown(pod: EndedPod, { diedAt }: DeathRecord): EndedPod {
  return { ...pod, diedAt, foundAt: pod.missed ? diedAt : pod.foundAt }
}

/** The time of a missed death comes from the pod's events, once they are listed. */
async function withTime({ clock, means, events }: StepMeans, pod: EndedPod, signal: AbortSignal): Promise<EndedPod> {
  const wait = { clock, everyMs: LOOK_AGAIN_MS, mostMs: EVENTS_LISTED_MS, signal }
  await waitWhile(() => means.inHand(pod).watching.from === null, wait)
  const ends = events.of(pod.uid, null).map((event) => {
    const { lastAt, reason } = readEvent(event)
    return { at: lastAt ?? 0, reason }
  })
  return { ...pod, diedAt: timeOfMissedDeath(pod.facts, { ...pod, events: ends }) }
}
