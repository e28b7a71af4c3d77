import type { ContainerFacts, PodFacts, Terminated } from '#/core/kubernetes/pod-facts.ts'
import type { Evidence } from '#/core/why/evidence.ts'
import { byTime, fieldFact } from '#/core/why/fact.ts'
import type { Fact } from '#/core/why/fact.ts'
import { signalCode } from '#/core/why/exit-code.ts'
import { findRunner } from '#/core/kubernetes/runner-container.ts'
import { findDeadContainer } from '#/core/why/dead-container.ts'
import type { DeadContainer } from '#/core/why/dead-container.ts'

/** How the container ended that decides the job: the runner's, or the one that brought it down. */
export type Ending = {
  readonly container: string | null
  readonly containerId: string | null
  /** It is not the runner's: it ended first and took the job with it. */
  readonly isOther: boolean
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
  const dead = evidence.pod === null ? null : findDeadContainer(evidence.pod, evidence)
  const isKata = isMicroVm(evidence)
  const state = dead?.end ?? null
  const status = dead === null || state === null ? null : statusFact(dead.container.name, state, isKata)
  const journal = journalExit(evidence, dead, isKata)
  const record = evidence.clues.find(({ is, about }) => is === 'terminal-record' && about === 'subject') ?? null
  return {
    ...readIdentity(dead, journal),
    ...readCode([status, journal, record], state),
    ...findDeathTime(evidence, state, journal),
    isAmbiguous: dead === null && journal === null && hasSeveral(evidence),
    folded: evidence.clues.filter(({ is }) => is === 'runner-process-killed').toSorted(byTime)[0] ?? null,
  }
}

function readCode(seen: readonly (Fact | null)[], state: Terminated | null): Pick<Ending, 'code' | 'reason' | 'facts'> {
  const facts = seen.filter((fact) => fact !== null)
  const code = facts[0]?.fields['code']
  const recorded = facts.find(({ is }) => is === 'terminal-record')?.fields['reason']
  return { code: code === undefined ? null : Number(code), reason: state?.reason ?? recorded ?? null, facts }
}

function hasSeveral(evidence: Evidence): boolean {
  return findExits(evidence).length > 1 || candidates(evidence.pod).length > 1
}

function readIdentity(
  dead: DeadContainer | null,
  journal: Fact | null,
): Pick<Ending, 'container' | 'containerId' | 'isOther'> {
  const { name = null, container = null } = journal?.fields ?? {}
  if (dead === null) return { container: name, containerId: container, isOther: false }
  return { container: dead.container.name, containerId: dead.id ?? container, isOther: dead.isOther }
}

export function isMicroVm({ pod }: Evidence): boolean {
  return /kata|qemu|firecracker|cloud-hypervisor|microvm/i.test(pod?.runtimeClass ?? '')
}

function candidates(pod: PodFacts | null): readonly ContainerFacts[] {
  const choice = findRunner(pod?.containers ?? [])
  return choice.kind === 'ambiguous' ? choice.candidates : []
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
function journalExit(evidence: Evidence, dead: DeadContainer | null, isKata: boolean): Fact | null {
  // Of several containers that may be the runner's nobody knows whose end this is.
  if (dead === null && candidates(evidence.pod).length > 1) return null
  const exits = findExits(evidence)
  const id = dead?.id ?? null
  const isOnly = new Set(exits.map(({ fields: { container } }) => container)).size === 1 && !isUnborn(dead)
  const own = exits.filter(({ fields: { container, name } }) => {
    if (id !== null && container !== undefined) return container === id
    return name === (dead?.container.name ?? 'runner') || (name === undefined && isOnly)
  })
  const [first] = own.toSorted(byTime)
  if (first === undefined) return null
  return { ...first, fields: { ...first.fields, code: String(signalCode(Number(first.fields['code']), isKata)) } }
}

/** Its container was never created: an exit without a name is an init container's. */
function isUnborn(dead: DeadContainer | null): boolean {
  return dead !== null && dead.container.id === null && dead.container.state.kind === 'waiting' && dead.end === null
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
