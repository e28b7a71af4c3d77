import { toDisruptor } from '#/core/why/actor.ts'
import type { Ending } from '#/core/why/ending.ts'
import { EXIT_CODES } from '#/core/why/exit-code.ts'
import type { Evidence } from '#/core/why/evidence.ts'
import { byTime, fieldFact } from '#/core/why/fact.ts'
import type { Fact } from '#/core/why/fact.ts'
import type { Removal } from '#/core/why/removal.ts'
import { conditionAs } from '#/core/kubernetes/pod-facts.ts'
import type { PodFacts } from '#/core/kubernetes/pod-facts.ts'

/** Whether the kubelet stopped the container, for whom, and whether the runner reacted. */
export type Stopping = {
  /** The kubelet or the runtime stopped this container; never why. */
  readonly stops: readonly Fact[]
  /** The grace period that was actually given. */
  readonly graceSeconds: number | null
  /** The signal reached the runner, or something in it. */
  readonly stopSigns: readonly Fact[]
  /** SIGKILL when the grace period ended. */
  readonly killed: readonly Fact[]
  /** It ended within its grace period and not by SIGKILL: it obeyed the stop, or finished by itself at that moment. */
  readonly obeyed: readonly Fact[]
  /** Everything that requested a graceful end while it was alive. */
  readonly requests: readonly StopRequest[]
}

export type StopRequest = { readonly by: string | null; readonly fact: Fact }

/** A stop is requested before the end, and events have whole seconds. */
const BLUR_MS = 2000
const GRACE_BLUR_MS = 3000

export function readStopping(evidence: Evidence, ending: Ending, removals: readonly Removal[]): Stopping {
  const own = evidence.clues.filter(({ about }) => about === 'subject').toSorted(byTime)
  const stops = own.filter((fact) => isStop(fact, ending))
  const requests = [
    ...removals
      .filter(({ manner, isAfterEnd }) => manner !== 'forced' && !isAfterEnd)
      .map(({ by, fact }) => ({ by, fact })),
    ...statusRequests(evidence),
    ...eventRequests(evidence, ending, own),
    ...probeRequests(own, stops, ending),
  ]
  return {
    stops,
    graceSeconds: graceGiven(stops),
    stopSigns: findStopSigns(own, ending, firstAsked({ stops, askers: requests })?.at ?? -Infinity),
    killed: killedAtGrace(own, { ending, stops, askers: requests, evidence }),
    obeyed: obeyedWithin({ ending, stops, askers: requests, evidence }),
    requests,
  }
}

const STOPS: ReadonlySet<string> = new Set([
  'kubelet-stops-container',
  'stop-requested',
  'stop-signal-sent',
  'stop-done',
  'short-grace',
])

function isStop(fact: Fact, ending: Ending): boolean {
  if (!STOPS.has(fact.is) || !isOfContainer(fact, ending)) return false
  return isByThen(fact, ending)
}

/** The last line of a log is not the end: a silent runner may have been alive. */
function isByThen({ at }: Fact, ending: Ending): boolean {
  return at === null || ending.at === null || ending.isAtLeast || at <= ending.at + BLUR_MS
}

/** When a runner has ended, the kubelet stops its sidecars. That says nothing about the runner. */
function isOfContainer({ fields }: Fact, { container, containerId, isAmbiguous }: Ending): boolean {
  const said = fields['container']
  if (said !== undefined && /^[0-9a-f]{12,64}$/.test(said))
    return containerId === null ? !isAmbiguous : said === containerId
  const name = said ?? fields['name']
  return name === undefined || (container === null ? /runner/.test(name) : name === container)
}

function graceGiven(stops: readonly Fact[]): number | null {
  const given = stops.flatMap(({ fields: { seconds } }) => (seconds === undefined ? [] : [Number(seconds)]))
  return given[0] ?? null
}

const STOP_SIGNS: ReadonlySet<string> = new Set([
  'daemon-stopped',
  'runner-stop-requested',
  'shutdown-annotated',
  'os-shutdown-annotated',
  'interrupted',
])
const STOP_CODES: ReadonlySet<string> = new Set([String(EXIT_CODES.terminated), String(EXIT_CODES.interrupted)])

/** A line from before the request is about something else. */
function findStopSigns(own: readonly Fact[], ending: Ending, askedAt: number): readonly Fact[] {
  const { facts } = ending
  const isInTime = (fact: Fact): boolean => {
    // When the runner has ended, the daemon beside it is stopped too: that says nothing about the runner.
    if (fact.is === 'daemon-stopped' && !(ending.isOther && fact.source.endsWith(`/${ending.container}`))) return false
    if (fact.at !== null && fact.at < askedAt - BLUR_MS) return false
    return isByThen(fact, ending) || fact.source.startsWith('github')
  }
  return [
    ...own.filter((fact) => STOP_SIGNS.has(fact.is) && isInTime(fact)),
    ...facts.filter(({ fields }) => STOP_CODES.has(fields['code'] ?? '')),
  ]
}

type Asked = {
  readonly ending: Ending
  readonly stops: readonly Fact[]
  readonly askers: readonly StopRequest[]
  readonly evidence: Evidence
}

function killedAtGrace(own: readonly Fact[], given: Asked): readonly Fact[] {
  const { ending } = given
  const sent = own.filter((fact) => fact.is === 'kill-sent' && isOfContainer(fact, ending))
  const wait = waitedFor(given)
  if (ending.code !== EXIT_CODES.killed || wait === null) return sent
  const { waited, spec, asked } = wait
  if (Math.abs(waited - spec * 1000) > GRACE_BLUR_MS) return sent
  const text = `the container was killed ${Math.round(waited / 1000)} s after the request to end it: its grace period of ${spec} s was over`
  return [...sent, { ...asked, is: 'grace-ran-out', text }]
}

function obeyedWithin(given: Asked): readonly Fact[] {
  const { ending } = given
  const wait = waitedFor(given)
  const [end] = ending.facts
  if (end === undefined || ending.isAtLeast || ending.code === EXIT_CODES.killed || wait === null) return []
  const { waited, spec } = wait
  if (waited < -BLUR_MS || waited > spec * 1000 - GRACE_BLUR_MS) return []
  const seconds = Math.max(0, Math.round(waited / 1000))
  const text = `it ended with exit code ${ending.code} ${seconds} s after the request to end it, within its grace period of ${spec} s`
  return [{ ...end, is: 'ended-in-grace', text }]
}

type Wait = { readonly asked: Fact; readonly waited: number; readonly spec: number }

/** The time in the object is when the deletion is due, not when it was requested. */
function firstAsked({ stops, askers: requests }: Pick<Asked, 'stops' | 'askers'>): Fact | undefined {
  const dated = requests.filter(({ fact }) => fact.source !== PODS).map(({ fact }) => fact)
  return [...stops, ...dated].toSorted(byTime)[0]
}

/** From the first request to the end. */
function waitedFor({ ending, stops, askers: requests, evidence }: Asked): Wait | null {
  const asked = firstAsked({ stops, askers: requests })
  const spec = evidence.pod?.specGraceSeconds ?? null
  if (asked === undefined || asked.at === null || ending.at === null || spec === null) return null
  return { asked, waited: ending.at - asked.at, spec }
}

const SHUTDOWN = /node shutdown|shutting down/i

const PODS = 'kubernetes/pods'

/** Who ended it, according to the pod object. */
function statusRequests({ pod }: Evidence): readonly StopRequest[] {
  return pod === null ? [] : [...disruptionRequests(pod), ...reasonRequests(pod)]
}

/** Evictions for a scarce resource and garbage collection have their own causes. */
function disruptionRequests(pod: PodFacts): readonly StopRequest[] {
  const condition = conditionAs(pod, 'DisruptionTarget', 'True')
  if (condition === null || condition.reason === 'DeletionByPodGC') return []
  const { reason, message, since } = condition
  if (/low on resource|had condition/i.test(message ?? '')) return []
  const text = `the pod is marked as disrupted: ${reason} (${message ?? ''})`
  return [{ by: toDisruptor(reason), fact: fieldFact({ is: 'disruption', source: PODS, at: since, text }) }]
}

function reasonRequests({ reason, message, startedAt }: PodFacts): readonly StopRequest[] {
  const isShutdown = reason === 'Terminated' || (reason === 'NodeShutdown' && startedAt !== null)
  if (reason !== 'Preempting' && !(isShutdown && SHUTDOWN.test(message ?? ''))) return []
  const text = `the pod's reason is ${reason}: ${message}`
  return [{ by: 'kubelet', fact: fieldFact({ is: 'pod-reason', source: PODS, at: null, text }) }]
}

/** Events that name the component. A cancelled taint eviction, or node events alone, ended nothing. */
const ACTORS: ReadonlyMap<string, string> = new Map([
  ['preempted-by-scheduler', 'kube-scheduler'],
  ['preempted-for-critical-pod', 'kubelet'],
  ['taint-evicts-pod', 'taint-eviction-controller'],
  ['karpenter-evicts', 'karpenter'],
])
const NODE_ACTORS: ReadonlyMap<string, string> = new Map([
  ['karpenter-disrupts', 'karpenter'],
  ['autoscaler-removes-node', 'cluster-autoscaler'],
  ['node-shutting-down', 'kubelet'],
])
const NODE_NOTICE_MS = 600_000

function eventRequests(
  { clues }: Evidence,
  { at: endedAt, isAtLeast }: Ending,
  own: readonly Fact[],
): readonly StopRequest[] {
  const cancelled = own.findLast(({ is }) => is === 'taint-eviction-cancelled')
  const direct = own.filter(({ is, at }) => {
    if (!ACTORS.has(is) || (is === 'taint-evicts-pod' && cancelled !== undefined && (cancelled.at ?? 0) > (at ?? 0)))
      return false
    return at === null || endedAt === null || isAtLeast || at <= endedAt + BLUR_MS
  })
  const ofNode = clues.filter(({ is, at, about }) => {
    if (about !== 'node' || !NODE_ACTORS.has(is)) return false
    return at !== null && endedAt !== null && at <= endedAt + BLUR_MS && endedAt - at < NODE_NOTICE_MS
  })
  return [
    ...direct.map((fact) => ({ by: ACTORS.get(fact.is) ?? null, fact })),
    ...ofNode.map((fact) => ({ by: NODE_ACTORS.get(fact.is) ?? null, fact })),
  ]
}

/** A failed probe is the reason only if the stop followed its last failure at once. */
function probeRequests(own: readonly Fact[], stops: readonly Fact[], ending: Ending): readonly StopRequest[] {
  const probes = own.filter(
    (fact) => fact.is === 'probe-failed' && isOfContainer(fact, ending) && isByThen(fact, ending),
  )
  const decided = probes.filter(({ text, fields, at }) => {
    if (/SyncLoop \(probe\)|failed (?:liveness|startup) probe/.test(text)) return true
    const lastAt = Number(fields['last'] ?? '') || at
    return stops.some((stop) => stop.at !== null && lastAt !== null && Math.abs(stop.at - lastAt) <= BLUR_MS)
  })
  return decided.map((fact) => ({ by: 'kubelet', fact }))
}
