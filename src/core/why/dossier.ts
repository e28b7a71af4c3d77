import { conditionAs } from '#/core/kubernetes/pod-facts.ts'
import type { PodFacts } from '#/core/kubernetes/pod-facts.ts'
import { alignClocks } from '#/core/why/align-clocks.ts'
import { isMicroVm, readEnding } from '#/core/why/ending.ts'
import type { Ending } from '#/core/why/ending.ts'
import type { Evidence } from '#/core/why/evidence.ts'
import { byTime, fieldFact } from '#/core/why/fact.ts'
import type { Fact } from '#/core/why/fact.ts'
import { isJobPod } from '#/core/why/job-pod.ts'
import { readMemory } from '#/core/why/memory.ts'
import type { Memory } from '#/core/why/memory.ts'
import { readNodeState } from './node-state.ts'
import type { NodeState } from './node-state.ts'
import { readRemovals } from '#/core/why/removal.ts'
import type { Removal } from '#/core/why/removal.ts'
import { isRunnerSurely, runnerCandidates } from '#/core/kubernetes/runner-container.ts'
import { hasLooked, hasLookedOver } from '#/core/why/source-state.ts'
import { readStopping } from '#/core/why/stopping.ts'
import type { Stopping } from '#/core/why/stopping.ts'
import { readSubjectKind } from '#/core/why/subject-kind.ts'
import type { SubjectKind } from '#/core/why/subject-kind.ts'
import { readWorking } from '#/core/why/working.ts'
import type { Working } from '#/core/why/working.ts'

/** All facts about one subject, joined, in the form that the causes need. */
export type Dossier = Evidence & {
  readonly kind: SubjectKind
  readonly ending: Ending
  readonly working: Working
  readonly removals: readonly Removal[]
  readonly stopping: Stopping
  readonly memory: Memory
  readonly nodeState: NodeState
  /** Each fact that shows that the runner's container ran. */
  readonly ran: readonly Fact[]
  /** The runner is still running. */
  readonly isAlive: boolean
  /** The clues about the subject with any of these ids, by time. */
  readonly subjectClues: (...names: readonly string[]) => readonly Fact[]
  /** The same for its node, near the end. */
  readonly nodeClues: (...names: readonly string[]) => readonly Fact[]
  /** What controllers logged about the fleet, at any time: it may have kept this runner from starting. */
  readonly fleetClues: (...names: readonly string[]) => readonly Fact[]
  /** ARC's record of the runner, as a fact. */
  readonly recordFact: Fact | null
  /** Vitals from inside a microVM that count an OOM kill. */
  readonly guestKills: readonly Fact[]
  /** The source was read and covers the time around the end. */
  readonly wasLooking: (source: string) => boolean
  readonly wasRead: (source: string) => boolean
}

const BEFORE_MS = 120_000
const AFTER_MS = 30_000
const LOOKED_BEFORE_MS = 30_000
/** A collector that begins with the pod may miss its first second. */
const STARTING_MS = 1000
const EVENTS_LIVE_MS = 3_600_000

export function openDossier(given: Evidence): Dossier {
  const evidence = withoutPredecessor(alignClocks(given))
  const ending = readEnding(evidence)
  const working = readWorking(evidence)
  const removals = readRemovals(evidence, ending)
  const stopping = readStopping(evidence, ending, removals)
  const clues = evidence.clues.toSorted(byTime)
  return {
    ...evidence,
    kind: readSubjectKind(evidence.pod, evidence.subject),
    ending,
    working,
    removals,
    stopping,
    memory: readMemory(evidence, ending),
    nodeState: readNodeState(evidence, ending),
    ran: ranFacts(evidence, ending, working),
    isAlive: isAlive(evidence, ending, working),
    subjectClues: (...names) => clues.filter(({ is, about }) => about === 'subject' && names.includes(is)),
    nodeClues: (...names) =>
      clues.filter(({ is, about, at }) => about === 'node' && names.includes(is) && isNear(at, ending.at)),
    fleetClues: (...names) =>
      clues.filter(({ is, about, source }) => about === 'node' && source.startsWith('logs/') && names.includes(is)),
    recordFact: findRecordFact(evidence),
    guestKills: findGuestKills(evidence),
    wasRead: (source) => hasLooked(evidence.sources, source),
    wasLooking: (source) => wasLooking(evidence, source, ending),
  }
}

const BORN_BLUR_MS = 5000

/** The kubelet and controllers log pods without UID: lines from before this pod was created are about an earlier pod of the name. */
function withoutPredecessor(evidence: Evidence): Evidence {
  const born = evidence.pod?.createdAt ?? null
  if (born === null) return evidence
  const isOwn = ({ at, about, source }: Fact) =>
    about === 'node' || source.startsWith('github') || at === null || at >= born - BORN_BLUR_MS
  return { ...evidence, clues: evidence.clues.filter(isOwn) }
}

function isNear(at: number | null, endedAt: number | null): boolean {
  return at !== null && (endedAt === null || (at >= endedAt - BEFORE_MS && at <= endedAt + AFTER_MS))
}

/** Events expire after an hour: their absence proves nothing about an older death. */
function wasLooking(evidence: Evidence, source: string, { at }: Ending): boolean {
  // Without the time of the end it is not known what it should have covered, so absence proves nothing.
  if (at === null) return false
  const from = Math.max(at - LOOKED_BEFORE_MS, bornAt(evidence) + STARTING_MS)
  if (!hasLookedOver(evidence.sources, source, { from, to: at })) return false
  if (source !== 'kubernetes/events') return true
  return evidence.now - at < EVENTS_LIVE_MS || evidence.events.length > 0
}

/** No source needs to cover the time before the pod existed. */
function bornAt({ pod, log }: Evidence): number {
  return pod?.startedAt ?? pod?.createdAt ?? log?.firstAt ?? -Infinity
}

function ranFacts({ clues, pod, log, subject }: Evidence, { facts }: Ending, { had }: Working): readonly Fact[] {
  const started = clues.filter(
    (fact) =>
      fact.about === 'subject' &&
      (fact.is === 'runner-listening' || (fact.is === 'container-started' && isOfRunner(fact, pod))),
  )
  const ended = facts.filter(
    ({ fields }) =>
      fields['reason'] !== 'StartError' && fields['code'] !== '128' && fields['reason'] !== 'ContainerCannotRun',
  )
  const running = pod !== null && isRunnerSurely(pod, 'running') ? (runnerCandidates(pod)[0]?.state ?? null) : null
  const base = { is: 'container-ran', order: 0, about: 'subject', fields: {} } satisfies Partial<Fact>
  return [
    ...started,
    ...ended.filter(({ fields }) => fields['reason'] !== 'ContainerStatusUnknown'),
    ...(running !== null
      ? [
          {
            ...base,
            source: 'kubernetes/pods',
            at: running.kind === 'running' ? running.startedAt : null,
            text: 'the container is running',
          },
        ]
      : []),
    ...(log !== null && log.lines > 1
      ? [{ ...base, source: log.source, at: log.firstAt, text: 'the runner wrote a log' }]
      : []),
    ...(isJobPod({ pod, subject }) ? [] : had),
  ]
}

/** Init containers and sidecars start before the runner, and without it. */
function isOfRunner({ fields: { container, init } }: Fact, pod: PodFacts | null): boolean {
  if (pod === null || container === undefined) return init === undefined
  return runnerCandidates(pod).some(({ name }) => name === container)
}

function findRecordFact({ ephemeralRunner }: Evidence): Fact | null {
  if (ephemeralRunner === null) return null
  const { phase, reason, message } = ephemeralRunner
  return fieldFact({
    is: 'runner-record',
    source: 'kubernetes/ephemeralrunners',
    at: null,
    text: `ARC records the runner as ${phase ?? 'without a phase'}: ${reason ?? ''} ${message ?? ''}`.trim(),
  })
}

function findGuestKills(evidence: Evidence): readonly Fact[] {
  const last = evidence.vitals.findLast(({ oomKills }) => oomKills !== null)
  if (!isMicroVm(evidence) || last === undefined || (last.oomKills ?? 0) === 0) return []
  return [
    fieldFact({
      is: 'guest-kills',
      source: evidence.log?.source ?? 'logs',
      at: last.at,
      text: `vitals from inside count ${last.oomKills} OOM kills`,
    }),
  ]
}

/** A last seen object, or one that is being deleted, does not prove that the runner is alive. */
function isAlive(evidence: Evidence, { facts }: Ending, { result }: Working): boolean {
  const { pod, clues, job, node, isNodeListed } = evidence
  if (facts.length > 0 || result !== null || job?.status === 'completed' || isNodeListed === false) return false
  if (clues.some(({ is, about }) => about === 'subject' && is === 'pod-object-gone')) return false
  return pod !== null && isRunning(pod) && conditionAs(node, 'Ready', 'Unknown') === null
}

function isRunning(pod: PodFacts): boolean {
  if (pod.phase !== 'Running' || pod.deletedAt !== null || pod.lastSeenAt !== null) return false
  return isRunnerSurely(pod, 'running') && conditionAs(pod, 'Ready', 'False') === null
}
