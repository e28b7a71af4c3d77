import { jobProofs } from '#/core/fleet/fleet.ts'
import type { Fleet, JobProof, Runner } from '#/core/fleet/fleet.ts'
import { githubStatusFinder } from './github-status.ts'
import type { GitHubStatus } from './github-status.ts'
import { logsByContainer } from './container-logs.ts'
import { hasEnded, imageTrouble } from '#/core/kubernetes/pod-record.ts'
import type { PodRecord } from '#/core/kubernetes/pod-record.ts'
import { knownRunnerContainer, runnerCandidates } from '#/core/kubernetes/runner-container.ts'
import { runnerCrashes } from '#/core/fleet/runner-crashes.ts'
import type { Crashes } from '#/core/fleet/runner-crashes.ts'
import { readRunnerLog } from '#/core/fleet/runner-log.ts'
import type { RunnerLog } from '#/core/fleet/runner-log.ts'
import { setKeyFinder } from '#/core/fleet/set-parts.ts'
import { conditionAs } from '#/core/kubernetes/pod-facts.ts'
import type { ContainerFacts } from '#/core/kubernetes/pod-facts.ts'

/** The judged state of one runner. It does not show which sources were blind: check `fleet.saw`. */
export type RunnerState = {
  readonly runner: Runner
  /** `setKey` of its scale set. */
  readonly setKey: string
  /** The existing pod; one that is only in the collector's records does not count. */
  readonly pod: PodRecord | null
  readonly proofs: readonly JobProof[]
  readonly hasJob: boolean
  readonly github: GitHubStatus
  readonly log: RunnerLog
  /** When the runner container started; else its pod or its object. */
  readonly startedAt: number | null
  /** A runner registers before its pod exists: many never run. */
  readonly hasStartedEver: boolean
  /** The container whose image cannot be pulled. */
  readonly imageTrouble: ContainerFacts | null
  readonly crashes: Crashes
  readonly isCrashLooping: boolean
  readonly isDeleting: boolean
  /** Succeeded, Failed or Outdated: ARC is done with it. */
  readonly hasEnded: boolean
  /** Counts for ARC as running or pending. */
  readonly isLive: boolean
  /** Ready capacity: leave it alone. */
  readonly isIdle: boolean
}

export function runnerStates(fleet: Fleet): ReadonlyMap<Runner, RunnerState> {
  const findSetKey = setKeyFinder(fleet)
  const view: RunnerView = {
    fleet,
    findSetKey,
    findStatus: githubStatusFinder(fleet),
    countCrashes: runnerCrashes(fleet, findSetKey),
    findLogs: logsByContainer(fleet),
  }
  return new Map(fleet.runners.map((runner) => [runner, judgeRunner(runner, view)]))
}

type RunnerView = {
  readonly fleet: Fleet
  readonly findSetKey: (runner: Runner) => string
  readonly findStatus: (runner: Runner) => GitHubStatus
  readonly countCrashes: (runner: Runner) => Crashes
  readonly findLogs: ReturnType<typeof logsByContainer>
}

const ENDED_PHASES: ReadonlySet<string> = new Set(['Failed', 'Succeeded', 'Outdated'])

function judgeRunner(
  runner: Runner,
  { fleet, findSetKey, findStatus, countCrashes, findLogs }: RunnerView,
): RunnerState {
  const pod = runner.pod?.lastSeenAt === null ? runner.pod : null
  const proofs = jobProofs(runner)
  const base = {
    runner,
    setKey: findSetKey(runner),
    pod,
    proofs,
    hasJob: proofs.length > 0,
    github: findStatus(runner),
    log: readRunnerLog(runner, findLogs),
    startedAt: readStart(pod) ?? runner.createdAt,
    hasStartedEver: hasStartedEver(runner),
    imageTrouble: pod === null ? null : imageTrouble(pod),
    crashes: countCrashes(runner),
    isDeleting: runner.deletedAt !== null,
    hasEnded: ENDED_PHASES.has(runner.phase ?? ''),
  }
  const isCrashLooping = judgeCrashLoop(base, fleet)
  return {
    ...base,
    isCrashLooping,
    isLive: !base.isDeleting && !base.hasEnded,
    isIdle: !isCrashLooping && isIdle(base, fleet),
  }
}

function readStart(pod: PodRecord | null): number | null {
  const state = pod === null ? null : knownRunnerContainer(pod)?.state
  return state?.kind === 'running' ? (state.startedAt ?? pod?.startedAt ?? null) : (pod?.createdAt ?? null)
}

/**
 * Shown by any of: phase Running, a `ready` field (absent until it was true once), a runner container that
 * started, an entry in `failures`. A running sidecar proves nothing if the runner's image cannot be pulled.
 */
function hasStartedEver({ phase, ready, failures, pod }: Runner): boolean {
  if (phase === 'Running' || ready !== null || failures.length > 0) return true
  if (pod === null) return false
  if (pod.phase === 'Running') return true
  return runnerCandidates(pod).some(({ state, last }) => hasBegun(state) || hasBegun(last))
}

function hasBegun(state: ContainerFacts['state']): boolean {
  return state.kind === 'running' || (state.kind === 'terminated' && state.startedAt !== null)
}

type Base = Omit<RunnerState, 'isCrashLooping' | 'isLive' | 'isIdle'>

function judgeCrashLoop({ runner, pod, crashes, hasEnded, imageTrouble }: Base, { thresholds }: Fleet): boolean {
  if (runner.ready === true || hasEnded || imageTrouble !== null) return false
  if (crashes.own >= thresholds.crashLoopFailures) return true
  if (pod !== null && conditionAs(pod, 'PodScheduled', 'False') !== null) return false
  // Registered, without phase and pod: a quota blocks it, it has not started once.
  if (pod === null && runner.phase === null && crashes.own === 0) return false
  return crashes.givenUp > 0 || crashes.own + crashes.others >= thresholds.crashLoopFailures
}

function isIdle({ runner, pod, hasJob, github, log, hasEnded: isOver, isDeleting }: Base, fleet: Fleet): boolean {
  if (runner.ready !== true || hasJob || isOver || isDeleting || runner.runnerId === null) return false
  const isUp = pod === null ? !fleet.saw('kubernetes/pods') : pod.deletedAt === null && !hasEnded(pod)
  const isOnline = github.kind === 'unknown' || (github.kind === 'listed' && github.isOnline)
  return isUp && isOnline && !isLost(log)
}

/** It looks ready but cannot take a job. */
function isLost({ conflict, deregistered, deprecated }: RunnerLog): boolean {
  return conflict !== null || deregistered !== null || deprecated !== null
}
