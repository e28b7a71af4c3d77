import { conditionAs } from '#/core/kubernetes/pod-facts.ts'
import type { ContainerFacts, PodFacts, Terminated } from '#/core/kubernetes/pod-facts.ts'
import type { Dossier } from '#/core/why/dossier.ts'
import { fieldFact } from '#/core/why/fact.ts'
import type { Fact } from '#/core/why/fact.ts'
import { reasonFact } from './shared-facts.ts'
import { knownRunnerContainer, runnerCandidates, terminatedState } from '#/core/kubernetes/runner-container.ts'

/** Facts about a pod whose runner never ran. */

const PODS = 'kubernetes/pods'
const STUCK_MS = 300_000
const AT_ONCE_MS = 15_000
const NEIGHBOURS_STUCK = 2

export function waiting({ pod, now }: Dossier, reasons: RegExp): readonly Fact[] {
  return (pod?.containers ?? []).flatMap(({ name, state }) =>
    state.kind === 'waiting' && reasons.test(state.reason ?? '')
      ? [
          fieldFact({
            is: 'container-waits',
            source: PODS,
            at: now,
            text: `container ${name} is waiting: ${state.reason}${state.message === null ? '' : `: ${state.message}`}`,
            fields: { name, reason: state.reason ?? '' },
          }),
        ]
      : [],
  )
}

export function condition({ pod }: Dossier, type: string, status: string): readonly Fact[] {
  const found = pod?.conditions.find((one) => one.type === type && one.status === status)
  if (found === undefined) return []
  return [
    fieldFact({
      is: 'pod-condition',
      source: PODS,
      at: found.since,
      text: `${type} is ${status}: ${found.reason ?? ''} ${found.message ?? ''}`.trim(),
    }),
  ]
}

/** It was scheduled, so a missing node did not stop it. */
export function scheduledFacts(d: Dossier): readonly Fact[] {
  const events = d.events.filter(({ reason, kind }) => reason === 'Scheduled' && kind === 'Pod')
  return [
    ...(d.pod?.node === null || d.pod === null
      ? []
      : [fieldFact({ is: 'scheduled', source: PODS, at: null, text: `the pod was scheduled to node ${d.pod.node}` })]),
    ...events.map(({ message, firstAt }) =>
      fieldFact({ is: 'scheduled', source: 'kubernetes/events', at: firstAt, text: message }),
    ),
  ]
}

const ADMISSION =
  /^(?:OutOf\w+|Node(?:Affinity|Ports|Name|Selector)|HostPortConflict|TopologyAffinityError|PodOS\w+|UnexpectedAdmissionError|PodToleratesNodeTaints|AppArmor)$/
const DEVICE = /device|allocate|plugin/i

/** The kubelet refused to admit it. A failing device plugin counts as a node fault instead. */
export function refusedByAdmission(d: Dossier): readonly Fact[] {
  if (d.pod?.reason === 'UnexpectedAdmissionError' && DEVICE.test(d.pod.message ?? '')) return []
  const events = d.events.filter(
    ({ reason, kind, message }) =>
      kind === 'Pod' && ADMISSION.test(reason) && !(reason === 'UnexpectedAdmissionError' && DEVICE.test(message)),
  )
  return [
    ...reasonFact(d, ADMISSION),
    ...events.map(({ reason, message, firstAt }) =>
      fieldFact({ is: 'refused-by-kubelet', source: 'kubernetes/events', at: firstAt, text: `${reason}: ${message}` }),
    ),
  ]
}

/** StartError and similar: the runtime could not start the process. */
export function neverStarted(d: Dossier): readonly Fact[] {
  return (d.pod?.containers ?? []).flatMap((container) => {
    const end = terminatedState(container)
    const isRefused = end?.reason === 'StartError' || end?.reason === 'ContainerCannotRun'
    return isRefused ? [endFact(container, end.finishedAt, end.message)] : []
  })
}

function endFact({ name, state, last }: ContainerFacts, at: number | null, message: string | null): Fact {
  const end = state.kind === 'terminated' ? state : last
  const [code, reason] = end.kind === 'terminated' ? [end.exitCode, end.reason] : [null, null]
  const text = `container ${name} ended with exit code ${code}, ${reason}${message === null ? '' : `: ${message}`}`
  return fieldFact({ is: 'container-failed', source: PODS, at, text, fields: { name, code: String(code) } })
}

/** An init container that failed by itself stops the pod before the runner. */
export function failedInit(d: Dossier): readonly Fact[] {
  return endedInits(d).flatMap(({ container, end }) =>
    isOwnFailure(end) ? [endFact(container, end.finishedAt, end.message)] : [],
  )
}

/** The pod was removed while an init container still waited for work or prepared it: the runner never had a job. */
export function stoppedInit(d: Dossier): readonly Fact[] {
  const isStopped = d.removals.length + d.stopping.requests.length + d.stopping.stops.length > 0
  return endedInits(d).flatMap(({ container, end }) => {
    if (!isStopped || !SIGNALLED.has(end.exitCode ?? 0)) return []
    const text = `init container ${container.name} was stopped (exit code ${end.exitCode}) before the runner started`
    return [fieldFact({ is: 'init-stopped', source: PODS, at: end.finishedAt, text, fields: { name: container.name } })]
  })
}

/** INT, KILL, TERM: whoever sent the signal, the container did not fail by itself. */
const SIGNALLED: ReadonlySet<number> = new Set([130, 137, 143])

function isOwnFailure({ exitCode, reason }: Terminated): boolean {
  return exitCode !== null && exitCode !== 0 && (!SIGNALLED.has(exitCode) || reason === 'OOMKilled')
}

/** Of a pod whose runner never started. */
function endedInits(d: Dossier): readonly { readonly container: ContainerFacts; readonly end: Terminated }[] {
  const candidates = d.pod === null ? [] : runnerCandidates(d.pod)
  if (candidates.some(({ state }) => state.kind !== 'waiting')) return []
  return (d.pod?.containers ?? []).flatMap((container) => {
    const end = container.role === 'init' ? terminatedState(container) : null
    return end === null ? [] : [{ container, end }]
  })
}

/** Written by a container of the pod, not by a controller about it. */
export function isInOwnLog({ source }: Pick<Fact, 'source'>, { subject: { namespace, pod } }: Dossier): boolean {
  return source.startsWith(`logs/${namespace}/${pod}/`)
}

/** What the runner wrote once GitHub knew it. */
export function registered(d: Dossier): readonly Fact[] {
  return [...d.subjectClues('runner-listening'), ...d.working.had]
}

/** Exit code 126 or 127 within seconds, before any line of the runner: the command itself is wrong. */
export function endedAtOnce(d: Dossier): readonly Fact[] {
  const runner = d.pod === null ? null : knownRunnerContainer(d.pod)
  const end = runner === null ? null : terminatedState(runner)
  if (runner === null || end === null) return []
  const isCommand = end.exitCode === 126 || end.exitCode === 127
  return isQuick(end) === true && isCommand && saidNothing(d) ? [endFact(runner, end.finishedAt, end.message)] : []
}

const FEW_LINES = 5

/** The kernel refused the command, whatever the exit code: a container that ended at once and said nothing else. */
export function refusedExec(d: Dossier): readonly Fact[] {
  const runner = d.pod === null ? null : knownRunnerContainer(d.pod)
  const end = runner === null ? null : terminatedState(runner)
  const isShort = (end === null ? null : isQuick(end)) ?? (d.log?.lines ?? 0) <= FEW_LINES
  return isShort && saidNothing(d) ? d.subjectClues('exec-refused') : []
}

function isQuick({ startedAt, finishedAt }: Terminated): boolean | null {
  return startedAt === null || finishedAt === null ? null : finishedAt - startedAt <= AT_ONCE_MS
}

function saidNothing(d: Dossier): boolean {
  return (
    d.subjectClues(
      'runner-listening',
      'job-running',
      'not-authorized',
      'runner-deregistered',
      'session-conflict',
      'runner-version-refused',
    ).length === 0
  )
}

/** The pod refers to something that does not exist. A volume that cannot be attached is a node fault. */
export function isOwnMount({ text }: Fact): boolean {
  return /not found|hostPath type check failed|references non-existent|is not a directory|no such file|invalid/i.test(
    text,
  )
}

/** Scheduled, then nothing for minutes: no image pulled, no container created. */
export function stuckCreating(d: Dossier): readonly Fact[] {
  const scheduled = conditionAs(d.pod, 'PodScheduled', 'True')?.since ?? null
  if (scheduled === null || d.now - scheduled < STUCK_MS || !isCreating(d.pod)) return []
  const isMoving =
    d.events.some(({ reason }) => /^(?:Pulling|Pulled|Created|Started)$/.test(reason)) ||
    (d.pod?.containers ?? []).some(({ state }) => state.kind === 'running' || state.kind === 'terminated')
  if (isMoving || !d.wasRead('kubernetes/events')) return []
  const alike = d.neighbours.filter((other) => other.phase === 'Pending').length
  const company = alike >= NEIGHBOURS_STUCK ? `; ${alike} other pods of the node are stuck too` : ''
  const text = `the pod was scheduled ${Math.round((d.now - scheduled) / 60_000)} minutes ago and no container was created${company}`
  return [fieldFact({ is: 'stuck-creating', source: 'kubernetes/events', at: scheduled, text })]
}

function isCreating(pod: PodFacts | null): boolean {
  const candidates = pod === null ? [] : runnerCandidates(pod)
  const isWaiting = ({ state }: ContainerFacts): boolean =>
    state.kind === 'waiting' && /^(?:ContainerCreating|PodInitializing)$/.test(state.reason ?? '')
  return candidates.length > 0 && candidates.every(isWaiting)
}

export function budgetSpent({ rateLimit }: Dossier): readonly Fact[] {
  if (rateLimit === null || rateLimit.remaining > 0) return []
  return [
    fieldFact({
      is: 'budget-spent',
      source: 'github/rate-limit',
      at: null,
      text: `0 of ${rateLimit.limit} requests remain`,
    }),
  ]
}
