import { textAt } from '#/core/basics/fields.ts'
import { printAge } from '#/core/basics/age.ts'
import type { Finding } from '#/core/audit/finding.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import { describeGitHubStatus } from '#/core/fleet/github-status.ts'
import type { PodRecord } from '#/core/kubernetes/pod-record.ts'
import type { RunnerState } from '#/core/fleet/runner-state.ts'
import { jobEvidence, runnerFinding, setSubject } from './subject.ts'
import type { RuntimeView } from '#/core/fleet/traps/view.ts'

/** The time at which it should have been gone, if that is long enough ago; else null. */
function overdue(deletedAt: number | null, { now, thresholds }: Fleet): number | null {
  return deletedAt !== null && now - deletedAt >= thresholds.stuckTerminating ? deletedAt : null
}

/** deletionTimestamp is the end of the grace period. */
export function stuckSince({ runner, pod }: RunnerState, fleet: Fleet): number | null {
  const podEnd = pod?.deletedAt ?? null
  if (runner.deletedAt === null) return overdue(podEnd, fleet)
  return overdue(Math.max(runner.deletedAt, podEnd ?? 0), fleet)
}

export function stuckTerminating(view: RuntimeView): readonly Finding[] {
  return [...stuckRunners(view), ...stuckSets(view), ...stuckOrphans(view)]
}

function stuckRunners(view: RuntimeView): readonly Finding[] {
  const { fleet } = view
  return view.runners.flatMap((state) => {
    const since = stuckSince(state, fleet)
    if (since === null) return []
    const { runner, pod, github } = state
    const isWorking = state.proofs.some((proof) => proof !== 'record')
    const what = runner.deletedAt === null ? `its pod ${pod?.name ?? ''}` : 'it'
    return [
      runnerFinding(state, {
        class: 'stuck-terminating',
        severity: 'warning',
        evidence: [
          `${what} should have been gone ${printAge(since, fleet.now)} ago`,
          `finalizers: ${runner.finalizers.join(', ') || 'none'}`,
          pod === null ? 'it has no pod' : `its pod is ${pod.phase ?? 'without a phase'}`,
          describeGitHubStatus(github),
          ...jobEvidence(state),
        ],
        hint: adviceFor(state, isWorking),
        fields: { secondsOverdue: Math.floor((fleet.now - since) / 1000) },
      }),
    ]
  })
}

function adviceFor({ runner, pod, github }: RunnerState, isWorking: boolean): string {
  if (isWorking) {
    return pod === null || pod.phase === 'Failed'
      ? 'GitHub still runs its job although the pod is gone: cancel the run at GitHub, ARC then removes the rest'
      : 'GitHub still runs its job: wait for it, ARC removes the runner when the job ends'
  }
  if (github.kind === 'unknown') return 'first check at GitHub whether it still has a job'
  return `signalbox why ${runner.name} -n ${runner.namespace} shows what holds it; nothing is removed while the controller is down, so check that first; remove a finalizer by hand only if the pod is gone and GitHub does not list the runner`
}

/** A generation that waits for its jobs is not stuck. */
function stuckSets(view: RuntimeView): readonly Finding[] {
  const { fleet } = view
  return view.sets.flatMap((own): readonly Finding[] => {
    const { set, runnerSets, listeners, states } = own
    if (states.some(({ hasJob }) => hasJob)) return []
    const stuck = [set, ...runnerSets, ...listeners].flatMap((object) => {
      const since = overdue(object.deletedAt, fleet)
      return since === null ? [] : [{ object, since }]
    })
    const [first] = stuck
    if (first === undefined) return []
    return [
      {
        class: 'stuck-terminating',
        severity: 'warning',
        subject: setSubject(set),
        evidence: stuck.map(
          ({ object, since }) =>
            `${object.kind} ${object.name} should have been gone ${printAge(since, fleet.now)} ago; finalizers: ${object.finalizers.join(', ') || 'none'}`,
        ),
        hint: `check that the controller works (kubectl -n ${controllerPlace(view)} get deployments): only it removes its finalizers`,
        fields: { scaleSet: set.name, secondsOverdue: Math.floor((fleet.now - first.since) / 1000) },
      },
    ]
  })
}

function controllerPlace({ controllers }: RuntimeView): string {
  return controllers[0]?.controller.namespace ?? 'arc-systems'
}

/** A pod whose EphemeralRunner is already gone is not covered by the runners. */
function stuckOrphans({ fleet, sets }: RuntimeView): readonly Finding[] {
  if (!fleet.saw('kubernetes/ephemeralrunners')) return []
  const known = new Set(fleet.runners.map(({ namespace, name }) => `${namespace}/${name}`))
  const asked = new Set(sets.map(({ key }) => key))
  return fleet.pods.flatMap((pod): readonly Finding[] => {
    const since = pod.deletedAt === null || pod.lastSeenAt !== null ? null : overdue(pod.deletedAt, fleet)
    if (since === null || !isRunnerPod(pod, asked) || known.has(`${pod.namespace}/${pod.name}`)) return []
    return [
      {
        class: 'stuck-terminating',
        severity: 'warning',
        subject: { kind: 'Pod', namespace: pod.namespace, name: pod.name },
        evidence: [
          `it should have been gone ${printAge(since, fleet.now)} ago, and its EphemeralRunner no longer exists`,
          `it is on node ${pod.node ?? 'unknown'}`,
        ],
        hint: `kubectl get node ${pod.node ?? ''} shows whether its kubelet still responds`,
        fields: { secondsOverdue: Math.floor((fleet.now - since) / 1000) },
      },
    ]
  })
}

function isRunnerPod({ namespace, labels }: PodRecord, sets: ReadonlySet<string>): boolean {
  return (
    textAt(labels, 'actions-ephemeral-runner') !== null &&
    sets.has(`${namespace}/${textAt(labels, 'actions.github.com/scale-set-name') ?? ''}`)
  )
}
