import { blind, none, seen } from '#/core/basics/observed.ts'
import type { CandidateSnapshot, PodSigns } from '#/core/interlock/candidate-snapshot.ts'
import { EXAMPLE_CANDIDATE } from '#/core/interlock/example-candidate.ts'
import { exampleContainer } from '#/core/interlock/example-container.ts'
import { cannotSee, holds, refuses } from '#/core/interlock/gate.ts'
import type { Gate, GateResult } from '#/core/interlock/gate.ts'
import { findWorker } from '#/core/interlock/processes.ts'
import { findStale, readAt } from '#/core/interlock/reading.ts'
import { hasEnded } from '#/core/kubernetes/pod-record.ts'
import { runnerCandidates } from '#/core/kubernetes/runner-container.ts'

/** A line is printed every 15 seconds. */
const VITALS_FRESH_MS = 60_000

/** What the pod's own state proves: without a process there is no worker. Null if it proves nothing. */
function describeEnd({ phase, containers }: PodSigns): string | null {
  if (hasEnded({ phase })) return `its pod has ended (${phase ?? ''})`
  const candidates = runnerCandidates({ containers })
  if (candidates.length === 0) return null
  if (candidates.every(({ state }) => state.kind === 'terminated')) return 'its runner container has ended'
  const isUntouched = candidates.every(({ state, last }) => state.kind === 'waiting' && last.kind === 'unknown')
  return isUntouched ? 'its runner container has not started' : null
}

function checkProcesses({ processes, terms, now }: CandidateSnapshot): GateResult | null {
  const { observed } = processes
  if (observed.kind !== 'seen') return null
  const worker = findWorker(observed.value)
  if (worker !== null) return refuses(`it runs ${worker}`, processes)
  return findStale(processes, now, terms.freshMs) === null
    ? holds(`none of its processes (${observed.value.length}) is a Runner.Worker`, processes)
    : null
}

function checkVitals({ vitals, now }: CandidateSnapshot): GateResult | null {
  const { observed } = vitals
  if (observed.kind !== 'seen' || findStale(vitals, now, VITALS_FRESH_MS) !== null) return null
  const { listeners, workers } = observed.value
  if (workers > 0) return refuses(`its vitals count ${workers} Runner.Worker`, vitals)
  // Without the listener it looked at the processes of another container.
  return listeners > 0 ? holds('its vitals count a Runner.Listener and no Runner.Worker', vitals) : null
}

/** Where nothing looked at its processes. */
function checkTraces(candidate: CandidateSnapshot): GateResult {
  const { log, processes, terms, now } = candidate
  if (log.observed.kind === 'seen') return refuses(`its log: ${log.observed.value}`, log)
  const byVitals = checkVitals(candidate)
  if (byVitals !== null) return byVitals
  const { observed } = processes
  if (observed.kind === 'blind') return cannotSee(observed.reason, processes)
  const stale = findStale(processes, now, terms.freshMs) ?? blind('not-asked', 'its processes were not read')
  return cannotSee(stale.reason, processes)
}

const { now } = EXAMPLE_CANDIDATE
const RUNNING = { kind: 'running', startedAt: now - 3_600_000 } as const
const UP: PodSigns = {
  phase: 'Running',
  node: 'node-1',
  containers: [exampleContainer('runner', RUNNING)],
  jobPods: [],
}
const LISTENER = '18 14 3598 /home/runner/bin/Runner.Listener run'
const WORKER = '4211 18 881 /home/runner/bin/Runner.Worker spawnclient 121 124'
const withPod = (change: Partial<CandidateSnapshot>) => ({ pod: readAt(now, seen(UP)), ...change })

export const noWorkerProcess: Gate = {
  id: 'no-worker-process',
  proof: 'no `Runner.Worker` in the pod, or the pod has ended',
  about:
    "A runner executes a job in the process Runner.Worker. The pod's own state decides first: no pod, a pod or a runner container that has ended, or a container that never started. Else the list of processes of the runner container: as the agent of its node sees it, else as `pods/exec` does (in a bundle `processes/<namespace>/<pod>.txt`). Else the last vitals line of the runner, at most a minute old. A log that shows a job without its end refuses, and so does a pod that runs for its job (kubernetes mode).",
  toSeeIt:
    'one of these, best first: let the agents see processes (agent.processes of the chart) and name the server (--server); grant pods/exec in the namespace of the runners (deploy/operate/exec.yaml); run vitals.sh in the runner (docs/evidence.md). In a bundle: kubectl -n NAMESPACE exec POD -c runner -- ps -eo pid,ppid,etimes,args > processes/NAMESPACE/POD.txt',
  check: (candidate) => {
    const { pod } = candidate
    const { observed } = pod
    if (observed.kind === 'blind') return cannotSee(observed.reason, pod)
    if (observed.kind === 'none') return holds('there is no pod', pod)
    const [jobPod] = observed.value.jobPods
    if (jobPod !== undefined) return refuses(`pod ${jobPod} runs for its job`, pod)
    const end = describeEnd(observed.value)
    if (end !== null) return holds(end, pod)
    return checkProcesses(candidate) ?? checkTraces(candidate)
  },
  examples: {
    holds: [
      { when: 'its pod has ended', candidate: {} },
      { when: 'there is no pod', candidate: { pod: readAt(now, none()) } },
      {
        when: 'its runner container has not started',
        candidate: {
          pod: readAt(
            now,
            seen({
              ...UP,
              phase: 'Pending',
              containers: [exampleContainer('runner', { kind: 'waiting', reason: null, message: null })],
            }),
          ),
        },
      },
      {
        when: 'its processes are only those of a runner that waits',
        candidate: withPod({ processes: readAt(now, seen([LISTENER])) }),
      },
      {
        when: 'its vitals count no worker',
        candidate: withPod({ vitals: readAt(now - 15_000, seen({ listeners: 1, workers: 0 })) }),
      },
    ],
    refuses: [
      {
        when: 'a worker runs',
        candidate: withPod({ processes: readAt(now, seen([LISTENER, WORKER])) }),
      },
      {
        when: 'its vitals count a worker',
        candidate: withPod({ vitals: readAt(now - 15_000, seen({ listeners: 1, workers: 1 })) }),
      },
      {
        when: 'its log shows a job that has not ended',
        candidate: withPod({ log: readAt(now, seen('2026-06-01 11:00:00Z: Running job: build')) }),
      },
      {
        when: 'its pod has ended but a pod runs for its job',
        candidate: {
          pod: readAt(now, seen({ ...UP, phase: 'Failed', jobPods: ['lane-a-x7k2p-runner-9fqzt-workflow'] })),
        },
      },
    ],
    blind: [
      { when: 'nothing looked at its processes', candidate: withPod({}) },
      { when: 'pods could not be read', candidate: { pod: readAt(now, blind('forbidden', '403')) } },
      {
        when: 'the list of processes is old',
        candidate: withPod({ processes: readAt(now - 3_600_000, seen([LISTENER])) }),
      },
      {
        when: 'its vitals line is old',
        candidate: withPod({ vitals: readAt(now - 300_000, seen({ listeners: 1, workers: 0 })) }),
      },
      {
        when: 'its vitals see no runner',
        candidate: withPod({ vitals: readAt(now, seen({ listeners: 0, workers: 0 })) }),
      },
    ],
  },
}
