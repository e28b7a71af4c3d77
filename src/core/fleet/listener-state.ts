import { textAt } from '#/core/basics/fields.ts'
import { printAge } from '#/core/basics/age.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import { LISTENER_ENDED, listenerSigns } from '#/core/fleet/listener-signs.ts'
import type { ListenerSigns } from '#/core/fleet/listener-signs.ts'
import { logsByContainer } from '#/core/fleet/log-of.ts'
import type { LogOf } from '#/core/fleet/log-of.ts'
import { containerOf, hasEnded, imageTrouble } from '#/core/kubernetes/pod-record.ts'
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

const WELL: ReadonlySet<ListenerCondition> = new Set(['healthy', 'starting', 'unknown'])

/** The set gets no jobs. Unknown does not count as down. */
export function isDown({ condition }: ListenerState): boolean {
  return !WELL.has(condition)
}

/** By `setKey`. */
export function listenerStates(fleet: Fleet, sets: readonly SetParts[]): ReadonlyMap<string, ListenerState> {
  const world: World = { fleet, signsOf: listenerSigns(fleet), logOf: logsByContainer(fleet) }
  return new Map(sets.map((parts) => [setKey(parts.set), stateOf(parts, world)]))
}

type World = {
  readonly fleet: Fleet
  readonly signsOf: (listener: Listener) => ListenerSigns
  readonly logOf: LogOf
}

type Verdict = Pick<ListenerState, 'condition' | 'evidence'>

function told(condition: ListenerCondition, ...evidence: readonly string[]): Verdict {
  return { condition, evidence }
}

function stateOf({ set, listeners }: SetParts, world: World): ListenerState {
  const { fleet } = world
  const listener = listeners.find(({ deletedAt }) => deletedAt === null) ?? null
  if (!fleet.saw('kubernetes/autoscalinglisteners')) {
    return { ...told('unknown', 'AutoscalingListeners could not be read'), listener: null, pod: null }
  }
  if (listener === null) return { ...withoutListener(set, listeners[0] ?? null, fleet), listener, pod: null }
  if (textAt(listener.raw, 'spec', 'phase') === 'Stopped') {
    return { ...told('stopped', `AutoscalingListener ${listener.name} has phase Stopped`), listener, pod: null }
  }
  if (!fleet.saw('kubernetes/pods')) {
    return { ...told('unknown', `the pod of ${listener.name} could not be read`), listener, pod: null }
  }
  const found = fleet.podAt(listener.namespace, listener.name)
  const pod = found?.lastSeenAt === null ? found : null
  const verdict = pod === null ? withoutPod(listener, world) : ofPod(listener, pod, world)
  return { ...verdict, listener, pod }
}

function withoutListener(set: ScaleSet, going: Listener | null, { now, thresholds }: Fleet): Verdict {
  const none =
    going === null
      ? `no AutoscalingListener names ${setKey(set)}`
      : `AutoscalingListener ${going.name} has been terminating for ${printAge(going.deletedAt, now)}, and there is no other`
  const isNew = set.createdAt !== null && now - set.createdAt <= thresholds.listenerPodMissing
  return isNew ? told('starting', none, `the set is ${printAge(set.createdAt, now)} old`) : told('missing', none)
}

function withoutPod(listener: Listener, { fleet, signsOf }: World): Verdict {
  const { now, thresholds } = fleet
  const signs = signsOf(listener)
  const none = `AutoscalingListener ${listener.name} has no pod in ${listener.namespace}`
  if (loops(signs, fleet)) return told('crash-looping', none, ...loopEvidence(signs, fleet))
  if (signs.lastAt !== null && now - signs.lastAt < thresholds.listenerPodMissing) {
    return told('starting', none, `its last pod appeared in events or logs ${printAge(signs.lastAt, now)} ago`)
  }
  const age = `the AutoscalingListener is ${printAge(listener.createdAt, now)} old`
  const isNew = listener.createdAt !== null && now - listener.createdAt <= thresholds.listenerPodMissing
  return told(isNew ? 'starting' : 'no-pod', none, age)
}

function ofPod(listener: Listener, pod: PodRecord, world: World): Verdict {
  const { now, thresholds } = world.fleet
  if (pod.deletedAt !== null) {
    const going = `pod ${pod.name} has been terminating for ${printAge(pod.deletedAt, now)}`
    return told(now - pod.deletedAt > thresholds.listenerPodMissing ? 'no-pod' : 'starting', going)
  }
  const waiting = imageTrouble(pod)
  if (waiting !== null) return told('image-trouble', printState(pod, waiting))
  const container = containerOf(pod, 'listener') ?? pod.containers.find(({ role }) => role === 'main') ?? null
  const signs = world.signsOf(listener)
  if (loops(signs, world.fleet) || isNewUnderOld(listener, pod, signs, world.fleet)) {
    const age = `pod ${pod.name} is ${printAge(pod.createdAt, now)} old, its AutoscalingListener ${printAge(listener.createdAt, now)}`
    const state = container === null ? [] : [printState(pod, container)]
    return told('crash-looping', age, ...state, ...loopEvidence(signs, world.fleet))
  }
  return ofContainer(pod, container, world)
}

function ofContainer(pod: PodRecord, container: ContainerFacts | null, { fleet, logOf }: World): Verdict {
  const { now, thresholds } = fleet
  const state = container?.state ?? { kind: 'unknown' as const }
  if (state.kind === 'terminated') return ofEnd(pod, state, fleet)
  if (hasEnded(pod)) {
    return told('ended', `pod ${pod.name} is ${pod.phase}${pod.reason === null ? '' : ` (${pod.reason})`}`)
  }
  if (state.kind === 'running') return ofSpeech(pod, state.startedAt, logOf, fleet)
  const age = `pod ${pod.name} has been ${pod.phase ?? 'without a phase'} for ${printAge(pod.createdAt, now)}`
  const why = container === null ? [] : [printState(pod, container)]
  const isLate = pod.createdAt !== null && now - pod.createdAt >= thresholds.podStart
  return told(isLate ? 'not-started' : 'starting', age, ...why)
}

/** A working controller removes an ended pod within seconds. */
function ofEnd(pod: PodRecord, { exitCode, finishedAt }: Terminated, { now, thresholds }: Fleet): Verdict {
  const end = `the container of pod ${pod.name} ended with exit code ${exitCode ?? 'unknown'} ${printAge(finishedAt, now)} ago, restartCount 0`
  if (finishedAt !== null && now - finishedAt > thresholds.listenerPodMissing) return told('ended', end)
  return told(exitCode === 0 ? 'starting' : 'crash-looping', end)
}

function ofSpeech(pod: PodRecord, startedAt: number | null, logOf: LogOf, fleet: Fleet): Verdict {
  const { now, thresholds, snapshot } = fleet
  const [log] = logOf(pod.namespace, pod.name, 'listener')
  const running = `pod ${pod.name} has been running for ${printAge(startedAt ?? pod.createdAt, now)}`
  // A log that ends before this container started belongs to the previous pod.
  const isOwn = log?.previous === false && log.lastAt !== null && log.lastAt >= (startedAt ?? 0)
  if (!isOwn || log.lastAt === null) return told('healthy', running)
  const until = Math.min(now, lookedUntil(pod, snapshot))
  const isSilent = until - log.lastAt >= thresholds.listenerSilence
  return told(isSilent ? 'silent' : 'healthy', running, `its last line is ${printAge(log.lastAt, now)} old`)
}

/** Until when the log was collected: later silence proves nothing. The longest matching source name counts. */
function lookedUntil({ namespace, name }: PodRecord, { coverage }: Snapshot): number {
  const names = [`logs/${namespace}/${name}/listener`, `logs/${namespace}/${name}`, `logs/${namespace}`, 'logs']
  const found = names.map((one) => coverage?.get(one)).find((one) => one !== undefined)
  return found?.to ?? Infinity
}

function loops({ pods, ends, lastAt }: ListenerSigns, { now, thresholds }: Fleet): boolean {
  const isNow = lastAt !== null && now - lastAt < thresholds.listenerPodMissing
  return isNow && (pods >= thresholds.crashLoopFailures || ends >= thresholds.crashLoopFailures)
}

/** A new pod under an old listener. If events show other pods, they decide: one replacement is not a loop. */
function isNewUnderOld(listener: Listener, pod: PodRecord, { pods, ends }: ListenerSigns, fleet: Fleet): boolean {
  const { now, thresholds } = fleet
  if (pods + ends > 0 || pod.createdAt === null || listener.createdAt === null) return false
  const limit = thresholds.listenerPodMissing
  return now - pod.createdAt < limit && pod.createdAt - listener.createdAt > limit
}

function loopEvidence({ pods, ends }: ListenerSigns, { thresholds }: Fleet): readonly string[] {
  const minutes = Math.round(thresholds.crashLoopWindow / 60_000)
  return [
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
