import type { Ending } from '#/core/why/ending.ts'
import { EXIT_CODES } from '#/core/why/exit-code.ts'
import type { CgroupFiles, Evidence } from '#/core/why/evidence.ts'
import { fieldFact } from '#/core/why/fact.ts'
import type { Fact } from '#/core/why/fact.ts'
import type { Vitals } from '#/core/evidence/vitals.ts'
import { runnerName } from '#/core/kubernetes/runner-container.ts'

/** Where memory ran out, and what was killed. */
export type Memory = {
  /** Kills inside the container in question. */
  readonly kills: readonly OomKill[]
  /** Kills elsewhere in the pod, or in a container that cannot be identified. */
  readonly elsewhere: readonly Fact[]
  /** The whole host ran out of memory at about the time of the death. */
  readonly host: readonly Fact[]
  /** The virtual machine of the pod was the victim. */
  readonly vm: readonly Fact[]
  /** Counters of the container's cgroup: a process in it was killed. */
  readonly counted: readonly Fact[]
  /** The limit was reached. Page cache counts too, so this supports a cause but proves nothing. */
  readonly full: readonly Fact[]
  /** The guest of a microVM had no memory left. */
  readonly guest: readonly Fact[]
  readonly taskOom: readonly Fact[]
}

export type OomKill = {
  readonly victim: string
  /** The runner itself, or the first process of the container. */
  readonly isRunner: boolean
  readonly scope: 'limit' | 'host'
  readonly fact: Fact
}

const RUNNER_PROCESS = /^(?:Runner\.(?:Listener|Worker)|run(?:-helper)?\.sh|tini|dumb-init)$/
const VM_PROCESS = /^(?:qemu|cloud-hyperviso|firecracker|virtiofsd|dragonball)/
const AT_ONCE_MS = 2000
const NEAR_MS = 10_000
const FULL = 0.98
const GUEST_EMPTY = 0.03

export function readMemory(evidence: Evidence, ending: Ending): Memory {
  const kills = evidence.clues.filter(
    ({ is, about }) => (is === 'oom-kill' || is === 'oom-group-kill') && about === 'subject',
  )
  const inContainer = kills.filter((fact) => isInContainer(fact, evidence, ending))
  return {
    kills: inContainer
      .filter(({ fields }) => !VM_PROCESS.test(fields['victim'] ?? ''))
      .map((fact) => toOomKill(fact, ending)),
    elsewhere: kills.filter((fact) => !inContainer.includes(fact)),
    vm: kills.filter(({ fields }) => VM_PROCESS.test(fields['victim'] ?? '')),
    host: hostOom(evidence, ending),
    counted: evidence.cgroups
      .filter(({ container }) => isOwn(container, evidence, ending))
      .flatMap((files) => countedKills(files)),
    full: evidence.cgroups.flatMap((files) => fullFact(files)),
    guest: guestFacts(evidence),
    taskOom: evidence.clues.filter(({ is, about }) => is === 'task-oom' && about === 'subject'),
  }
}

/** Without the pod object the journal must name the container, or the pod must have had only one. */
function isInContainer({ fields }: Fact, { pod, clues }: Evidence, ending: Ending): boolean {
  const { name, containerId } = fields
  if (name !== undefined) return ending.container === null || name === ending.container
  if (containerId === undefined || containerId === ending.containerId) return true
  if (pod !== null) return !pod.containers.some(({ id }) => id === containerId)
  const ids = clues
    .filter(({ is, about }) => is === 'container-exit' && about === 'subject')
    .map((exit) => exit.fields['container'])
  return new Set(ids).size <= 1
}

/** Files without a container name are the runner's. */
function isOwn(container: string | null, { pod }: Evidence, ending: Ending): boolean {
  const runner = runnerName(pod) ?? 'runner'
  return (container ?? runner) === (ending.container ?? runner)
}

function toOomKill(fact: Fact, { at, code }: Ending): OomKill {
  const { victim = '', constraint } = fact.fields
  const endedWithIt =
    code === EXIT_CODES.killed && at !== null && fact.at !== null && Math.abs(at - fact.at) <= AT_ONCE_MS
  const isRunner = RUNNER_PROCESS.test(victim) || endedWithIt || fact.is === 'oom-group-kill'
  return { victim, isRunner, scope: constraint === 'CONSTRAINT_NONE' ? 'host' : 'limit', fact }
}

/** A global kill names a process, not a pod: it counts only close to the death. */
function hostOom({ clues }: Evidence, { at }: Ending): readonly Fact[] {
  return clues.filter((fact) => {
    const isKill = fact.is === 'global-oom-kill' || fact.is === 'system-oom'
    const isOomd = fact.is === 'oomd-killed' && fact.about === 'subject'
    if (isOomd) return true
    return isKill && fact.at !== null && at !== null && Math.abs(fact.at - at) <= NEAR_MS
  })
}

function countedKills({ container, files }: CgroupFiles): readonly Fact[] {
  const events = counters(files.get('memory.events') ?? '')
  const control = counters(files.get('memory.oom_control') ?? '')
  const kills = Math.max(events.get('oom_kill') ?? 0, events.get('oom_group_kill') ?? 0, control.get('oom_kill') ?? 0)
  if (kills === 0) return []
  return [
    fieldFact({
      is: 'oom-counted',
      source: 'cgroup',
      at: null,
      text: `the cgroup of ${whose(container)} counts ${kills} OOM kills`,
    }),
  ]
}

export function counters(text: string): ReadonlyMap<string, number> {
  const pairs = text.split('\n').map((line) => line.trim().split(/\s+/))
  return new Map(
    pairs.flatMap(([key, value]) =>
      key === undefined || value === undefined || !/^\d+$/.test(value) ? [] : [[key, Number(value)] as const],
    ),
  )
}

/** In a bundle, `_pod` is the cgroup of the whole pod. */
function whose(container: string | null): string {
  if (container === null) return 'the runner'
  return container === '_pod' ? 'the pod' : container
}

function fullFact({ container, files }: CgroupFiles): readonly Fact[] {
  const limit = numberIn(files.get('memory.max') ?? files.get('memory.limit_in_bytes'))
  const peak = numberIn(files.get('memory.peak') ?? files.get('memory.max_usage_in_bytes'))
  if (limit === null || peak === null || peak < FULL * limit) return []
  const text = `memory of ${whose(container)} peaked at ${peak} of ${limit} bytes`
  return [fieldFact({ is: 'memory-full', source: 'cgroup', at: null, text })]
}

function numberIn(text: string | undefined): number | null {
  const digits = text?.trim() ?? ''
  return /^\d+$/.test(digits) ? Number(digits) : null
}

function guestFacts({ vitals, log, clues }: Evidence): readonly Fact[] {
  const last = vitals.at(-1)
  const source = log?.source ?? 'logs'
  const empty =
    last !== undefined && isGuestEmpty(last)
      ? [
          fieldFact({
            is: 'guest-empty',
            source,
            at: last.at,
            text: `the last guest sample had ${last.guestAvailableBytes} of ${last.guestTotalBytes} bytes available`,
          }),
        ]
      : []
  // The guest console prints ordinary kernel lines, in the log of the pod or of its VM.
  return [
    ...empty,
    ...clues.filter(
      ({ is, about, source: from }) => is === 'guest-out-of-memory' && about === 'subject' && from !== '',
    ),
  ]
}

function isGuestEmpty({ guestAvailableBytes, guestTotalBytes }: Vitals): boolean {
  return (
    guestAvailableBytes !== null && guestTotalBytes !== null && guestAvailableBytes <= GUEST_EMPTY * guestTotalBytes
  )
}
