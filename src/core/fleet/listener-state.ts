import { textAt } from '#/core/basics/fields.ts'
import { printAge } from '#/core/basics/age.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import { LISTENER_ENDED, listenerSigns } from '#/core/fleet/listener-signs.ts'
import type { ListenerSigns } from '#/core/fleet/listener-signs.ts'
import { logsByContainer } from './container-logs.ts'
import type { FindLogs } from './container-logs.ts'
import { readContainer, hasEnded, imageTrouble } from '#/core/kubernetes/pod-record.ts'
import type { PodRecord } from '#/core/kubernetes/pod-record.ts'
import type { Listener, ScaleSet } from '#/core/fleet/scale-set.ts'
import { setKey } from '#/core/fleet/set-parts.ts'
import type { SetParts } from '#/core/fleet/set-parts.ts'
import type { Snapshot } from '#/core/fleet/snapshot.ts'
import type { ContainerFacts, Terminated } from '#/core/kubernetes/pod-facts.ts'

/**
 * `missing`: no AutoscalingListener. `no-pod`: it has had no pod for too long. `stopped`: ARC keeps it down on purpose (0.15).
 * `ended`: its pod ended and is not re-created. `silent`: it runs but logs nothing. `starting`: too early to judge.
 */
export type ListenerCondition =
  | 'healthy'
  | 'starting'
  | 'missing'
  | 'no-pod'
  | 'stopped'
  | 'not-started'
  | 'image-trouble'
  | 'crash-looping'
  | 'ended'
  | 'silent'
  | 'unknown'

export type ListenerState = {
  readonly condition: ListenerCondition
  readonly listener: Listener | null
  readonly pod: PodRecord | null
  readonly evidence: readonly string[]
}

/** Listener log lines that audits need, besides the last line. */
export const LISTENER_MENTIONS: readonly string[] = ['Getting next message', LISTENER_ENDED]

const HEALTHY: ReadonlySet<ListenerCondition> = new Set(['healthy', 'starting', 'unknown'])

/** The set gets no jobs. Unknown does not count as down. */
export function isDown({ condition }: ListenerState): boolean {
  return !HEALTHY.has(condition)
}

/** By `setKey`. */
export function listenerStates(fleet: Fleet, sets: readonly SetParts[]): ReadonlyMap<string, ListenerState> {
  const view: ListenerView = { fleet, findSigns: listenerSigns(fleet), findLogs: logsByContainer(fleet) }
  return new Map(sets.map((parts) => [setKey(parts.set), judgeListener(parts, view)]))
}

type ListenerView = {
  readonly fleet: Fleet
  readonly findSigns: (listener: Listener) => ListenerSigns
  readonly findLogs: FindLogs
}

type Judgement = Pick<ListenerState, 'condition' | 'evidence'>

function toJudgement(condition: ListenerCondition, ...evidence: readonly string[]): Judgement {
  return { condition, evidence }
}

function judgeListener({ set, listeners }: SetParts, view: ListenerView): ListenerState {
  const { fleet } = view
  const listener = listeners.find(({ deletedAt }) => deletedAt === null) ?? null
  if (!fleet.saw('kubernetes/autoscalinglisteners')) {
    return { ...toJudgement('unknown', 'AutoscalingListeners could not be read'), listener: null, pod: null }
  }
  if (listener === null) return { ...withoutListener(set, listeners[0] ?? null, fleet), listener, pod: null }
  if (textAt(listener.raw, 'spec', 'phase') === 'Stopped') {
    return { ...toJudgement('stopped', `AutoscalingListener ${listener.name} has phase Stopped`), listener, pod: null }
  }
  if (!fleet.saw('kubernetes/pods')) {
    return { ...toJudgement('unknown', `the pod of ${listener.name} could not be read`), listener, pod: null }
  }
  const found = fleet.podAt(listener.namespace, listener.name)
  const pod = found?.lastSeenAt === null ? found : null
  const verdict = pod === null ? withoutPod(listener, view) : judgePod(listener, pod, view)
  return { ...verdict, listener, pod }
}

function withoutListener(set: ScaleSet, going: Listener | null, { now, thresholds }: Fleet): Judgement {
  const none =
    going === null
      ? `no AutoscalingListener names ${setKey(set)}`
      : `AutoscalingListener ${going.name} has been terminating for ${printAge(going.deletedAt, now)}, and there is no other`
  const isNew = set.createdAt !== null && now - set.createdAt <= thresholds.listenerPodMissing
  return isNew
    ? toJudgement('starting', none, `the set is ${printAge(set.createdAt, now)} old`)
    : toJudgement('missing', none)
}

function withoutPod(listener: Listener, { fleet, findSigns }: ListenerView): Judgement {
  const { now, thresholds } = fleet
  const signs = findSigns(listener)
  const none = `AutoscalingListener ${listener.name} has no pod in ${listener.namespace}`
  const isOld = listener.createdAt !== null && now - listener.createdAt > thresholds.listenerPodMissing
  if (isLooping(signs, fleet) || (isOld && signs.fresh.size > 0)) {
    return toJudgement('crash-looping', none, ...loopEvidence(signs, fleet))
  }
  if (signs.lastAt !== null && now - signs.lastAt < thresholds.listenerPodMissing) {
    return toJudgement('starting', none, `its last pod appeared in events or logs ${printAge(signs.lastAt, now)} ago`)
  }
  const age = `the AutoscalingListener is ${printAge(listener.createdAt, now)} old`
  const isNew = listener.createdAt !== null && now - listener.createdAt <= thresholds.listenerPodMissing
  return toJudgement(isNew ? 'starting' : 'no-pod', none, age)
}

function judgePod(listener: Listener, pod: PodRecord, view: ListenerView): Judgement {
  const { now, thresholds } = view.fleet
  const waiting = imageTrouble(pod)
  if (waiting !== null && pod.deletedAt === null) return toJudgement('image-trouble', printState(pod, waiting))
  const container = readContainer(pod, 'listener') ?? pod.containers.find(({ role }) => role === 'main') ?? null
  const signs = view.findSigns(listener)
  if (isLooping(signs, view.fleet) || isNewUnderOld(listener, pod, signs, view.fleet)) {
    const age = `pod ${pod.name} is ${printAge(pod.createdAt, now)} old, its AutoscalingListener ${printAge(listener.createdAt, now)}`
    const state = container === null ? [] : [printState(pod, container)]
    return toJudgement('crash-looping', age, ...state, ...loopEvidence(signs, view.fleet))
  }
  if (pod.deletedAt !== null) {
    const isLate = now - pod.deletedAt > thresholds.listenerPodMissing
    const since = pod.deletedAt > now ? '' : `, and should have been gone ${printAge(pod.deletedAt, now)} ago`
    return toJudgement(isLate ? 'no-pod' : 'starting', `pod ${pod.name} is terminating${since}`)
  }
  return judgeContainer(pod, container, view)
}

function judgeContainer(
  pod: PodRecord,
  container: ContainerFacts | null,
  { fleet, findLogs }: ListenerView,
): Judgement {
  const { now, thresholds } = fleet
  const state = container?.state ?? { kind: 'unknown' as const }
  if (state.kind === 'terminated') return judgeEnd(pod, state, fleet)
  if (hasEnded(pod)) {
    return toJudgement('ended', `pod ${pod.name} is ${pod.phase}${pod.reason === null ? '' : ` (${pod.reason})`}`)
  }
  if (state.kind === 'running') return judgeSilence(pod, state.startedAt, findLogs, fleet)
  const age = `pod ${pod.name} has been ${pod.phase ?? 'without a phase'} for ${printAge(pod.createdAt, now)}`
  const why = container === null ? [] : [printState(pod, container)]
  const isLate = pod.createdAt !== null && now - pod.createdAt >= thresholds.podStart
  return toJudgement(isLate ? 'not-started' : 'starting', age, ...why)
}

/** A working controller removes an ended pod within seconds. */
function judgeEnd(pod: PodRecord, { exitCode, finishedAt }: Terminated, { now, thresholds }: Fleet): Judgement {
  const end = `the container of pod ${pod.name} ended with exit code ${exitCode ?? 'unknown'} ${printAge(finishedAt, now)} ago, restartCount 0`
  if (finishedAt !== null && now - finishedAt > thresholds.listenerPodMissing) return toJudgement('ended', end)
  return toJudgement(exitCode === 0 ? 'starting' : 'crash-looping', end)
}

function judgeSilence(pod: PodRecord, startedAt: number | null, findLogs: FindLogs, fleet: Fleet): Judgement {
  const { now, thresholds, snapshot } = fleet
  const [log] = findLogs(pod.namespace, pod.name, 'listener')
  const running = `pod ${pod.name} has been running for ${printAge(startedAt ?? pod.createdAt, now)}`
  // A log that ends before this container started belongs to the previous pod.
  const isOwn = log?.previous === false && log.lastAt !== null && log.lastAt >= (startedAt ?? 0)
  if (!isOwn || log.lastAt === null) return toJudgement('healthy', running)
  const until = Math.min(now, coveredUntil(pod, snapshot))
  const isSilent = until - log.lastAt >= thresholds.listenerSilence
  return toJudgement(isSilent ? 'silent' : 'healthy', running, `its last line is ${printAge(log.lastAt, now)} old`)
}

/** Until when the log was collected: later silence proves nothing. The longest matching source name counts. */
function coveredUntil({ namespace, name }: PodRecord, { coverage }: Snapshot): number {
  const names = [`logs/${namespace}/${name}/listener`, `logs/${namespace}/${name}`, `logs/${namespace}`, 'logs']
  const found = names.map((one) => coverage?.get(one)).find((one) => one !== undefined)
  return found?.to ?? Infinity
}

function isLooping({ pods, ends, lastAt }: ListenerSigns, { now, thresholds }: Fleet): boolean {
  const isNow = lastAt !== null && now - lastAt < thresholds.listenerPodMissing
  return isNow && (pods >= thresholds.crashLoopFailures || ends >= thresholds.crashLoopFailures)
}

/** A loop makes a new pod every 4 seconds. */
const JUST_MADE_MS = 10_000

/**
 * A new pod under an old listener. A loop shows in one read: the pod is seconds old or already going, or another
 * one that started within the minute is gone. One replacement of a pod that had lived for long is not a loop.
 */
function isNewUnderOld(listener: Listener, pod: PodRecord, signs: ListenerSigns, fleet: Fleet): boolean {
  const { now, thresholds } = fleet
  if (pod.createdAt === null || listener.createdAt === null) return false
  const limit = thresholds.listenerPodMissing
  const age = now - pod.createdAt
  if (age >= limit || pod.createdAt - listener.createdAt <= limit) return false
  const hasShortLived = [...signs.fresh].some((uid) => uid !== pod.uid)
  if (hasShortLived || pod.deletedAt !== null || signs.pods + signs.ends === 0) return true
  return age < JUST_MADE_MS && signs.pods <= 1 && signs.ends === 0
}

function loopEvidence({ pods, ends, fresh }: ListenerSigns, { thresholds }: Fleet): readonly string[] {
  const minutes = Math.round(thresholds.crashLoopWindow / 60_000)
  return [
    ...(fresh.size > 0 ? [`pods of this name that started within the last minute: ${fresh.size}`] : []),
    ...(pods > 1 ? [`events of the last ${minutes} minutes show ${pods} pods of this name`] : []),
    ...(ends > 0 ? [`the controller's log shows ${ends} ends in the last ${minutes} minutes`] : []),
  ]
}

function printState(pod: PodRecord, { name, state }: ContainerFacts): string {
  const what = `container ${name} of pod ${pod.name}`
  switch (state.kind) {
    case 'waiting':
      return `${what} waits: ${state.reason ?? 'no reason given'}${state.message === null ? '' : `: ${state.message.slice(0, 300)}`}`
    case 'terminated':
      return `${what} ended with exit code ${state.exitCode ?? 'unknown'}`
    case 'running':
      return `${what} runs`
    case 'unknown':
      return `${what} has no state`
  }
}
