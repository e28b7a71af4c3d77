import { cancelledHandoffs } from './cancelled-handoff.ts'
import { cleanupCandidates } from './cleanup-candidate.ts'
import { crashLoops } from './crash-loop.ts'
import { failedRunners } from './failed-runners.ts'
import { hungRunners } from './hung.ts'
import { idleRunners } from './idle.ts'
import { jobsAtRisk } from './job-at-risk.ts'
import { staleReferences } from './listener-reference.ts'
import { neverRegistered } from './never-registered.ts'
import { missingListeners, outdatedRunners, rollovers, skewedSets, staleListeners } from './set-traps.ts'
import { ARC_SOURCES, FURTHER_SOURCES, RUNTIME_MENTIONS, hasScaleSets } from './sources.ts'
import { stuckTerminating } from './stuck-terminating.ts'
import { buildRuntimeView } from '#/core/fleet/traps/view.ts'
import { zombies } from './zombie.ts'
import type { Audit } from '#/core/audit/audit.ts'

export const runtime: Audit = {
  id: 'runtime',
  asks: 'which runners are traps?',
  about:
    "Joins each EphemeralRunner with its pod and with its state at GitHub. A runner has a job if any of the three says so, and then it must not be deleted. The counts in a set's status are not used: they are wrong even on healthy sets. A rollover that waits for jobs and one that waits forever look alike; jobs and time distinguish them. Runners that wait for an image, a node or a quota are offline and jobless too, but are no cleanup candidates: ARC would only create another.",
  reads: [
    ...ARC_SOURCES,
    { source: 'github/runners', weight: 'needed', gives: 'which runners are online and busy' },
    {
      source: 'github/queued-jobs',
      weight: 'useful',
      gives: 'which runners have a job in progress, and which jobs wait',
    },
    { source: 'github/jobs', weight: 'useful', gives: "when a runner's job was completed" },
    ...FURTHER_SOURCES,
  ],
  mentions: RUNTIME_MENTIONS,
  classes: [
    {
      class: 'idle-no-job-runner',
      severity: 'info',
      meaning: 'a runner is ready and has no job, according to its EphemeralRunner and GitHub',
      next: 'Leave it alone: it is capacity.',
    },
    {
      class: 'assigned-job-at-risk',
      severity: 'critical',
      meaning:
        'a runner has a job, but its pod failed, is terminating or is gone, or GitHub lists it offline, or only GitHub knows of the job',
      next: 'Never delete it. While its pod runs, wait for the job. If its pod has died, the job is lost and GitHub gives it up after about ten minutes: cancel the run and start it again.',
    },
    {
      class: 'offline-no-job-cleanup-candidate',
      severity: 'warning',
      meaning: 'a runner that has run is offline or unknown at GitHub, not busy, and nothing shows a job',
      next: 'Check the gates, then delete the EphemeralRunner (never its pod).',
    },
    {
      class: 'stale-idle-listener-blocker',
      severity: 'warning',
      meaning: 'idle runners block the creation of a new listener, and GitHub says that none of them is busy',
      next: 'Check the gates for each of them, then free the set as described for rollover-wedged.',
    },
    {
      class: 'cancelled-job-handoff',
      severity: 'warning',
      meaning: 'a runner got a job that had been cancelled; it keeps running, takes no other job, and holds its slot',
      next: 'Check that the replacement job still waits and that no Runner.Worker runs, then delete only this runner.',
    },
    {
      class: 'listener-missing',
      severity: 'critical',
      meaning: 'a set has no AutoscalingListener, or one without a pod for longer than a minute: it gets no jobs',
      next: 'Check that the controller works; it creates the listener.',
    },
    {
      class: 'listener-stale-reference',
      severity: 'warning',
      meaning: 'a listener points to an EphemeralRunnerSet or a scale set that is gone',
      next: 'Delete the AutoscalingListener; for a deleted scale set first remove the annotation runner-scale-set-id.',
    },
    {
      class: 'rollover-in-flight',
      severity: 'info',
      meaning: 'a set is moving from one generation to the next',
      next: 'Wait.',
    },
    {
      class: 'rollover-wedged',
      severity: 'critical',
      meaning: 'no listener, the set is not settled, and all remaining runners have no job: it waits forever',
      next: 'Check the gates for every runner, then scale the EphemeralRunnerSet to 0 (up to 0.14) or delete all its idle runners at once (later).',
    },
    {
      class: 'zombie-session-conflict',
      severity: 'warning',
      meaning: 'a pod was re-created with a used JIT configuration: it looks ready but cannot get a session',
      next: 'Its job is lost: cancel the run, check the gates, then delete the EphemeralRunner.',
    },
    {
      class: 'hung-after-completion',
      severity: 'warning',
      meaning: 'GitHub completed the job minutes ago but the runner still runs',
      next: 'Collect its evidence, check the gates, then delete the EphemeralRunner.',
    },
    {
      class: 'never-registered',
      severity: 'warning',
      meaning: 'a runner has had no id for 5 minutes: GitHub gave no configuration for it',
      next: "Read the controller's log: credential, rate limit, or a scale set that is gone.",
    },
    {
      class: 'runner-outdated',
      severity: 'warning',
      meaning: 'GitHub no longer accepts this runner version',
      next: 'Build the image with a newer runner and roll it out.',
    },
    {
      class: 'version-skew',
      severity: 'warning',
      meaning: 'set and controller have incompatible versions: the controller deletes such a set when it starts',
      next: 'Bring both charts to one version before the controller starts.',
    },
    {
      class: 'failed-runners-hold-capacity',
      severity: 'warning',
      meaning: 'Failed runners stay forever and still count as replicas',
      next: 'Fix what refuses their pods, then delete them.',
    },
    {
      class: 'stuck-terminating',
      severity: 'warning',
      meaning: 'something should have been gone 10 minutes ago',
      next: 'Wait if GitHub still runs its job; otherwise check what holds its finalizer.',
    },
    {
      class: 'runner-crash-loop',
      severity: 'warning',
      meaning: 'a runner keeps crashing at startup',
      next: 'Fix the image or the entry point; if you delete the runner, ARC only creates another.',
    },
  ],
  applies: hasScaleSets,
  examine: (fleet, question) => {
    const view = buildRuntimeView(fleet, question)
    return [
      ...jobsAtRisk(view),
      ...rollovers(view),
      ...missingListeners(view),
      ...staleListeners(view, staleReferences(view)),
      ...skewedSets(view),
      ...outdatedRunners(view),
      ...failedRunners(view),
      ...crashLoops(view),
      ...zombies(view),
      ...hungRunners(view),
      ...cancelledHandoffs(view),
      ...neverRegistered(view),
      ...stuckTerminating(view),
      ...cleanupCandidates(view),
      ...idleRunners(view),
    ]
  },
}
