import { examineBurst } from './examine.ts'
import type { Audit } from '#/core/audit/audit.ts'
import { LISTENER_MENTIONS } from '#/core/fleet/listener-state.ts'
import { wasRefused } from '#/core/audit/refused.ts'
import { GIVEN_UP } from '#/core/fleet/runner-crashes.ts'
import { RUNNER_MENTIONS } from '#/core/fleet/runner-log.ts'

export const burst: Audit = {
  id: 'burst',
  asks: 'What really limits this lane now?',
  about:
    'Names one first limiter for each lane that has waiting work, in this order: listener, image pull, runners that crash at their start, quota, scheduler, pod slots, scratch volume, declared maximum. Each is checked only if none before it applies, so the advice is never a higher maximum while something else limits the lane. ' +
    'Work waits when a job is queued at GitHub, or when a runner was created and cannot start. The waiting reason of a Pending pod is read before capacity is blamed. Room is counted per node: free memory spread over the cluster does not fit one pod. ' +
    '`admits` is how many runners of the lane the limiter allows, including existing ones. The table `limiters` lists this for every limiter; the smallest number is the next limit. The state of the lane is reported next to the limiter.',
  reads: [
    { source: 'kubernetes/autoscalingrunnersets', weight: 'needed', gives: 'the lanes and their maxima' },
    { source: 'kubernetes/autoscalinglisteners', weight: 'needed', gives: 'whether each set has a listener' },
    { source: 'kubernetes/ephemeralrunners', weight: 'needed', gives: 'runners, their jobs and why they have no pod' },
    { source: 'kubernetes/ephemeralrunnersets', weight: 'useful', gives: 'to which set a runner belongs' },
    { source: 'kubernetes/pods', weight: 'needed', gives: 'what runners wait for, and who holds slots and room' },
    { source: 'kubernetes/nodes', weight: 'needed', gives: 'room, slots, placement and pressure' },
    {
      source: 'kubernetes/events',
      weight: 'needed',
      gives: "the scheduler's, the kubelet's and the autoscaler's messages",
    },
    { source: 'kubernetes/resourcequotas', weight: 'useful', gives: 'what the namespaces may use' },
    { source: 'kubernetes/limitranges', weight: 'useful', gives: 'what a pod may request, and the defaults' },
    { source: 'kubernetes/runtimeclasses', weight: 'useful', gives: 'overhead and placement of a runtime class' },
    { source: 'kubernetes/persistentvolumeclaims', weight: 'useful', gives: 'whether scratch volumes are bound' },
    { source: 'kubernetes/storageclasses', weight: 'useful', gives: 'whether scratch volumes can be provisioned' },
    { source: 'kubernetes/horizontalpodautoscalers', weight: 'useful', gives: 'autoscalers at their maximum' },
    { source: 'kubernetes/stats', weight: 'useful', gives: 'free space of the image file system' },
    { source: 'github/queued-jobs', weight: 'needed', gives: 'which jobs wait, and which hold runners' },
    { source: 'github/runners', weight: 'needed', gives: 'which runners are online and busy' },
    { source: 'logs', weight: 'useful', gives: 'whether listeners still log, and why a pod was refused' },
  ],
  mentions: [...LISTENER_MENTIONS, ...RUNNER_MENTIONS, GIVEN_UP, 'Application returned an error', 'exceeded quota'],
  classes: [
    {
      class: 'queued-behind-active-runner-capacity',
      severity: 'warning',
      meaning: 'every runner that the lane may have is busy; the holders are listed',
      next: 'Wait for a holder to finish, or move long jobs to their own lane. Change the maximum only after every other limiter.',
    },
    {
      class: 'scheduler-resource-pressure',
      severity: 'warning',
      meaning:
        'Kubernetes has no node for a runner of the lane: a resource is short on every node, or none fits its placement',
      next: 'Add the named resource, or request less of it. A higher maximum only creates more pending pods.',
    },
    {
      class: 'shared-label-fairness-contention',
      severity: 'warning',
      meaning: 'at least two repositories hold the label while one that holds none waits',
      next: 'Decide who may hold the label: neither GitHub nor ARC has priorities. This does not prove a shortage.',
    },
    {
      class: 'pod-slot-pressure',
      severity: 'warning',
      meaning: 'the nodes run nearly as many pods as they may; ended pods hold no slot',
      next: 'Check what holds the slots: stale pods first, then other workloads, then live jobs.',
    },
    {
      class: 'quota-limit',
      severity: 'warning',
      meaning: 'the namespace refuses pods for more runners: a quota, a LimitRange or another admission check',
      next: 'Raise the quota or request less; then delete the failed runners.',
    },
    {
      class: 'image-pull-behind-pending',
      severity: 'warning',
      meaning: 'runner pods are Pending because an image cannot be pulled: not a lack of capacity',
      next: 'Fix the image name, the registry or the pull secret.',
    },
    {
      class: 'missing-scratch-volume',
      severity: 'warning',
      meaning: 'a work volume is not provisioned, or active runners lack one that the lane must have',
      next: 'Fix the storage class, or put the volume back into the template, before you re-run jobs.',
    },
    {
      class: 'listener-unhealthy',
      severity: 'critical',
      meaning: "a set's listener is missing, keeps crashing, cannot start or has stopped logging: the set gets no jobs",
      next: 'Read its log and its waiting reason: credentials, image, or the controller. This is not about capacity.',
    },
    {
      class: 'declared-max-reached',
      severity: 'warning',
      meaning: 'the sets of the lane have reached their maximum, and nothing else limits them',
      next: 'Check who holds them. Raise the maximum in source, up to what the next limiter admits, after the capacity audit.',
    },
    {
      class: 'declared-max-exceeds-physical',
      severity: 'warning',
      meaning: 'the declared maximum is more than the nodes can hold',
      next: 'Lower the maximum to what fits, or add nodes.',
    },
    {
      class: 'runner-crash-loop',
      severity: 'warning',
      meaning: 'runners of the lane keep crashing at startup',
      next: 'Fix the runner image or its entry point.',
    },
    {
      class: 'starved',
      severity: 'critical',
      meaning: 'jobs wait while matching runners are idle: job assignment is broken, not capacity',
      next: 'Check the runner group and cancelled hand-offs; leave the idle runners alone.',
    },
    {
      class: 'saturated',
      severity: 'warning',
      meaning: 'jobs wait, no runner is idle, and the declared maximum or the nodes are the limiter',
      next: 'Fix the first limiter.',
    },
    {
      class: 'label-unserved',
      severity: 'warning',
      meaning: 'jobs wait for a label that nothing serves',
      next: 'Correct runs-on in the workflow, or add a scale set with that label for that repository.',
    },
  ],
  applies: (fleet) =>
    fleet.lanes.length > 0 ||
    fleet.jobs.length > 0 ||
    fleet.rows('horizontalpodautoscalers').length > 0 ||
    wasRefused(fleet, 'kubernetes/autoscalingrunnersets'),
  examine: examineBurst,
}
