import type { ContainerFacts, PodFacts, Terminated } from '#/core/kubernetes/pod-facts.ts'
import type { Evidence } from '#/core/why/evidence.ts'
import { byTime, fieldFact } from '#/core/why/fact.ts'
import type { Fact } from '#/core/why/fact.ts'
import { signalCode } from '#/core/why/exit-code.ts'
import { findRunner, terminatedState } from '#/core/kubernetes/runner-container.ts'

/** How the container ended that decides the job: the runner's, or the one that brought it down. */
export type Ending = {
  readonly container: string | null
  readonly containerId: string | null
  /** Several containers ended, and it is not known which was the runner's. */
  readonly isAmbiguous: boolean
  /** As runc counts: 128 plus the number of the signal. */
  readonly code: number | null
  readonly reason: string | null
  /** When it died. A late status ("Unknown") is ignored in favour of the last line of the log. */
  readonly at: number | null
  /** The time is the last line of the log: it died then or later. */
  readonly isAtLeast: boolean
  /** One fact for every source that shows an exit code, with the code in its fields. */
  readonly facts: readonly Fact[]
  /** The exit that run-helper.sh turned into a 0. */
  readonly folded: Fact | null
}

export function readEnding(evidence: Evidence): Ending {
  const container = evidence.pod === null ? null : deadContainer(evidence.pod, evidence)
  const isKata = isMicroVm(evidence)
  const { state, status } = readState(container, isKata)
  const journal = journalExit(evidence, container, isKata)
  const record = evidence.clues.find(({ is, about }) => is === 'terminal-record' && about === 'subject') ?? null
  const facts = [status, journal, record].filter((fact) => fact !== null)
  const [first] = facts
  return {
    ...readIdentity(container, journal),
    code: first === undefined ? null : Number(first.fields['code']),
    reason: state?.reason ?? record?.fields['reason'] ?? null,
    isAmbiguous:
      container === null && journal === null && (findExits(evidence).length > 1 || candidates(evidence.pod).length > 1),
    ...findDeathTime(evidence, state, journal),
    facts,
    folded: evidence.clues.filter(({ is }) => is === 'runner-process-killed').toSorted(byTime)[0] ?? null,
  }
}

function readState(
  container: ContainerFacts | null,
  isKata: boolean,
): { state: Terminated | null; status: Fact | null } {
  const state = container === null ? null : terminatedState(container)
  return { state, status: state === null || container === null ? null : statusFact(container.name, state, isKata) }
}

function readIdentity(
  container: ContainerFacts | null,
  journal: Fact | null,
): Pick<Ending, 'container' | 'containerId'> {
  return {
    container: container?.name ?? journal?.fields['name'] ?? null,
    containerId: container?.id ?? journal?.fields['container'] ?? null,
  }
}

export function isMicroVm({ pod }: Evidence): boolean {
  return /kata|qemu|firecracker|cloud-hypervisor|microvm/i.test(pod?.runtimeClass ?? '')
}

/** If the job failed and another container died by itself before the runner exited, that container is the one to explain. */
function deadContainer(pod: PodFacts, { job, clues }: Evidence): ContainerFacts | null {
  const choice = findRunner(pod.containers)
  const runner = choice.kind === 'found' ? choice.container : null
  const isLostJob =
    job?.conclusion === 'failure' ||
    clues.some(
      ({ is, fields }) => is === 'docker-daemon-gone' || (is === 'job-result' && fields['result'] === 'Failed'),
    )
  const runnerEnd = runner === null ? null : terminatedState(runner)
  if (!isLostJob || (runnerEnd !== null && (runnerEnd.exitCode ?? 0) > 128)) return runner
  const culprits = pod.containers.filter(
    (other) => other.role === 'main' && other !== runner && diedBefore(other, runnerEnd),
  )
  // Of several, one of which is the runner, nobody knows which took the other along.
  return choice.kind === 'ambiguous' && culprits.length > 1 ? null : (culprits[0] ?? runner)
}

function candidates(pod: PodFacts | null): readonly ContainerFacts[] {
  const choice = findRunner(pod?.containers ?? [])
  return choice.kind === 'ambiguous' ? choice.candidates : []
}

function diedBefore(container: ContainerFacts, runnerEnd: Terminated | null): boolean {
  const end = terminatedState(container)
  if (end === null || end.exitCode === null) return false
  const isViolent = end.reason === 'OOMKilled' || end.exitCode > 128
  return isViolent && (runnerEnd === null || (end.finishedAt ?? Infinity) < (runnerEnd.finishedAt ?? Infinity))
}

function statusFact(name: string, state: Terminated, isKata: boolean): Fact {
  const { exitCode, reason, finishedAt, message } = state
  const code = signalCode(exitCode ?? 0, isKata)
  const raw = code === exitCode ? `${exitCode}` : `${exitCode} (a raw signal number of the microVM agent, so ${code})`
  return fieldFact({
    is: 'container-state',
    source: 'kubernetes/pods',
    at: finishedAt,
    text: `container ${name} ended with exit code ${raw}, reason ${reason ?? 'none'}${message === null ? '' : `: ${message}`}`,
    fields: { code: String(code), reason: reason ?? '', name },
  })
}

function findExits({ clues }: Evidence): readonly Fact[] {
  return clues.filter(
    ({ is, about, fields }) => is === 'container-exit' && about === 'subject' && fields['code'] !== undefined,
  )
}

/** After a restart the kubelet repeats old exits with their codes: the first one of a container counts. */
function journalExit(evidence: Evidence, container: ContainerFacts | null, isKata: boolean): Fact | null {
  // Of several containers that may be the runner's nobody knows whose end this is.
  if (container === null && candidates(evidence.pod).length > 1) return null
  const exits = findExits(evidence)
  const own = exits.filter(({ fields }) => {
    if (container !== null && container.id !== null && fields['container'] !== undefined)
      return fields['container'] === container.id
    const isOnly = new Set(exits.map(({ fields: { container: id } }) => id)).size === 1
    return fields['name'] === (container?.name ?? 'runner') || (fields['name'] === undefined && isOnly)
  })
  const [first] = own.toSorted(byTime)
  if (first === undefined) return null
  return { ...first, fields: { ...first.fields, code: String(signalCode(Number(first.fields['code']), isKata)) } }
}

/** The runtime writes these when it finds a dead container, not when it died. */
function isLate({ reason, exitCode }: Terminated): boolean {
  return reason === 'ContainerStatusUnknown' || (reason === 'Unknown' && exitCode === 255)
}

function findDeathTime(
  { log }: Evidence,
  state: Terminated | null,
  journal: Fact | null,
): Pick<Ending, 'at' | 'isAtLeast'> {
  if (state !== null && state.finishedAt !== null && !isLate(state)) return { at: state.finishedAt, isAtLeast: false }
  if (state === null && journal !== null) return { at: journal.at, isAtLeast: false }
  if (log !== null && log.lastAt !== null) return { at: log.lastAt, isAtLeast: true }
  return { at: state?.finishedAt ?? journal?.at ?? null, isAtLeast: false }
}
