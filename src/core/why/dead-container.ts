import type { ContainerFacts, ContainerState, PodFacts, Terminated } from '#/core/kubernetes/pod-facts.ts'
import { findRunner, terminatedState } from '#/core/kubernetes/runner-container.ts'
import type { Evidence } from '#/core/why/evidence.ts'
import type { Fact } from '#/core/why/fact.ts'

/** The container whose end is to be explained. */
export type DeadContainer = {
  readonly container: ContainerFacts
  readonly end: Terminated | null
  /** Of the container that ended: after a restart the pod names another. */
  readonly id: string | null
  /** Not the runner's: it ended first and took the job with it. */
  readonly isOther: boolean
}

/** If the job failed and another container died by itself or was stopped before the runner exited, that one is to be explained. */
export function findDeadContainer(pod: PodFacts, evidence: Evidence): DeadContainer | null {
  const choice = findRunner(pod.containers)
  const runner = choice.kind === 'found' ? choice.container : null
  const own = runner === null ? null : toDead(runner, terminatedState(runner), false)
  if (!isJobLost(evidence) || (own !== null && (own.end?.exitCode ?? 0) > SIGNALS)) return own
  const culprits = pod.containers.flatMap((other) => {
    if (other === runner || !runsBeside(other)) return []
    const end = fatalEnd(other, own?.end ?? null, evidence)
    return end === null ? [] : [toDead(other, end, true)]
  })
  // Of several, one of which is the runner, nobody knows which took the other along.
  return choice.kind === 'ambiguous' && culprits.length > 1 ? null : (culprits[0] ?? own)
}

function toDead(container: ContainerFacts, end: Terminated | null, isOther: boolean): DeadContainer {
  return { container, end, id: end?.id ?? container.id, isOther }
}

const SIGNALS = 128

export function runsBeside({ role, isSidecar }: ContainerFacts): boolean {
  return role === 'main' || isSidecar
}

function isJobLost({ job, clues }: Evidence): boolean {
  return (
    job?.conclusion === 'failure' ||
    clues.some(
      ({ is, fields }) => is === 'docker-daemon-gone' || (is === 'job-result' && fields['result'] === 'Failed'),
    )
  )
}

function fatalEnd(other: ContainerFacts, runnerEnd: Terminated | null, evidence: Evidence): Terminated | null {
  return endsBefore(other, runnerEnd).find((end) => isViolent(end) || wasStopped(other, end, evidence)) ?? null
}

/** How a container ended before the runner did, the last first: a restarted one has two ends. */
export function endsBefore({ state, last }: ContainerFacts, runnerEnd: Terminated | null): readonly Terminated[] {
  return [state, last].filter(
    (end: ContainerState): end is Terminated =>
      end.kind === 'terminated' &&
      end.exitCode !== null &&
      (runnerEnd === null || (end.finishedAt ?? Infinity) < (runnerEnd.finishedAt ?? Infinity)),
  )
}

function isViolent({ reason, exitCode }: Terminated): boolean {
  return reason === 'OOMKilled' || (exitCode ?? 0) > SIGNALS
}

const STOPPED_WITHIN_MS = 120_000
const BLUR_MS = 2000
const STOPS: ReadonlySet<string> = new Set(['probe-failed', 'kubelet-stops-container', 'stop-requested'])

/** The kubelet stopped this container alone: when the runner has ended, it stops all others. */
function wasStopped({ name }: ContainerFacts, { finishedAt, id }: Terminated, { clues }: Evidence): boolean {
  return clues.some(({ is, about, at, fields }) => {
    if (about !== 'subject' || !STOPS.has(is) || at === null || finishedAt === null) return false
    const isNamed = fields['container'] === name || (id !== null && fields['container'] === id)
    const last = Number(fields['last'] ?? '') || at
    return isNamed && last <= finishedAt + BLUR_MS && finishedAt - last <= STOPPED_WITHIN_MS
  })
}

/** Lines that show that a container beside the runner was stopped or ended, whatever the pod says. */
export function otherStops({ clues, pod }: Pick<Evidence, 'clues' | 'pod'>): readonly Fact[] {
  const choice = findRunner(pod?.containers ?? [])
  const runner = choice.kind === 'found' ? choice.container.name : 'runner'
  return clues.filter(({ is, about, fields: { container } }) => {
    if (about !== 'subject') return false
    if (is === 'daemon-stopped') return true
    return (
      (is === 'probe-failed' || is === 'kubelet-stops-container') &&
      container !== undefined &&
      !/^[0-9a-f]{64}$/.test(container) &&
      container !== runner
    )
  })
}
