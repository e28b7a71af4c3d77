import { cancelledHandovers } from './cancelled-handover.ts'
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
import { runtimeView } from './view.ts'
import { zombies } from './zombie.ts'
import type { Audit } from '#/core/audit/audit.ts'

export const runtime: Audit = {
  id: 'runtime',
  asks: 'which runners are traps?',
  about:
    "Joins each EphemeralRunner with its pod and with what GitHub says of it. A runner has a job if any of the three says so, and a job known to one of them is enough to keep everybody's hands off. Counts in a set's status are never read: they are wrong on healthy sets. A rollover that waits for jobs and one that waits for ever look alike; jobs and time tell them apart. Runners that wait for an image, a node or a quota are offline and jobless too, and no candidates: deleting one only makes another.",
  reads: [
    ...ARC_SOURCES,
    { source: 'github/runners', weight: 'needed', tells: 'which runners are online and busy' },
    { source: 'github/queued-jobs', weight: 'useful', tells: 'which runner a job in progress names, and what waits' },
    { source: 'github/jobs', weight: 'useful', tells: 'when the job of a runner was completed' },
    ...FURTHER_SOURCES,
  ],
  mentions: RUNTIME_MENTIONS,
  classes: [
    {
      class: 'idle-no-job-runner',
      severity: 'info',
      meaning: 'a runner is ready and has no job, by its record and by GitHub',
      next: 'Leave it alone: it is capacity.',
    },
    {
      class: 'assigned-job-at-risk',
      severity: 'critical',
      meaning:
        'a runner has a job, and its pod failed, goes or is gone, or GitHub does not hear of it, or only GitHub knows of the job',
      next: 'Never delete it. Wait for the job, or cancel its run at GitHub.',
    },
    {
      class: 'offline-no-job-cleanup-candidate',
      severity: 'warning',
      meaning: 'a runner that ran once is offline or unknown at GitHub, not busy, and no record shows a job',
      next: 'Verify by the gates, then delete the EphemeralRunner (never its pod).',
    },
    {
      class: 'stale-idle-listener-blocker',
      severity: 'warning',
      meaning: 'idle runners keep a listener from being made again, and GitHub says that none of them is busy',
      next: 'Verify every one of them, then free the set as rollover-wedged says.',
    },
    {
      class: 'cancelled-job-handoff',
      severity: 'warning',
      meaning: 'a runner was given a job that had been cancelled; it stays up, takes no other, and holds its place',
      next: 'See that the replacement still waits and that no Runner.Worker runs, then delete this runner alone.',
    },
    {
      class: 'listener-missing',
      severity: 'critical',
      meaning: 'a set has no AutoscalingListener, or one without a pod for longer than a minute: it gets no jobs',
      next: 'See whether the controller works; it makes the listener.',
    },
    {
      class: 'listener-stale-reference',
      severity: 'warning',
      meaning: 'a listener points at an EphemeralRunnerSet or at a scale set that is gone',
      next: 'Delete the AutoscalingListener; for a dead scale set remove the annotation runner-scale-set-id before.',
    },
    {
      class: 'rollover-in-flight',
      severity: 'info',
      meaning: 'a set is on its way from one generation to the next',
      next: 'Wait.',
    },
    {
      class: 'rollover-wedged',
      severity: 'critical',
      meaning: 'no listener, the set is not settled, runners remain and all are without a job: it waits for ever',
      next: 'Verify every runner, then scale the EphemeralRunnerSet to 0 (up to 0.14) or delete all its idle runners at once (later).',
    },
    {
      class: 'zombie-session-conflict',
      severity: 'warning',
      meaning: 'a pod was made again with a configuration that is used up: it looks ready and can get no session',
      next: 'Its job is lost: cancel the run, verify, then delete the EphemeralRunner.',
    },
    {
      class: 'hung-after-completion',
      severity: 'warning',
      meaning: 'GitHub completed the job minutes ago and the runner is still up',
      next: 'Collect its evidence, verify, then delete the EphemeralRunner.',
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
      meaning: 'GitHub takes no runner of this version any more',
      next: 'Build the image with a newer runner and roll it out.',
    },
    {
      class: 'version-skew',
      severity: 'warning',
      meaning:
        'set and controller are of versions that do not go together: the controller deletes such a set when it starts',
      next: 'Bring both charts to one version before the controller starts.',
    },
    {
      class: 'failed-runners-hold-capacity',
      severity: 'warning',
      meaning: 'runners are Failed for ever and still count as replicas',
      next: 'Mend what refuses their pods, then delete them.',
    },
    {
      class: 'stuck-terminating',
      severity: 'warning',
      meaning: 'something should have been gone 10 minutes ago',
      next: 'Wait where GitHub still runs its job; else see what holds its finalizer.',
    },
    {
      class: 'runner-crash-loop',
      severity: 'warning',
      meaning: 'a runner ends at its start, over and over',
      next: 'Mend the image or the entry point; deleting the runner only makes another.',
    },
  ],
  applies: hasScaleSets,
  examine: (fleet, question) => {
    const view = runtimeView(fleet, question)
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
      ...cancelledHandovers(view),
      ...neverRegistered(view),
      ...stuckTerminating(view),
      ...cleanupCandidates(view),
      ...idleRunners(view),
    ]
  },
}
