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
    'Names one first limiter for each lane that has waiting work, in this order: listener, image pull, runners that crash at their start, quota, scheduler, pod slots, scratch volume, declared maximum. Each is asked only if nothing before it stands in the way, so a higher maximum is never the advice while something else holds the lane back. ' +
    'Work waits where a job is queued at GitHub, and where a runner was made and cannot start. The waiting reason of a Pending pod is read before it is called a lack of capacity. Room is counted on each node by itself: memory of the whole cluster is no room for one pod. ' +
    '`admits` is how many runners of the lane the limiter would let be, those that are there included; the table `limiters` has that for all of them, the shortest bar being the next to meet. Beside the limiter the state of the lane is told.',
  reads: [
    { source: 'kubernetes/autoscalingrunnersets', weight: 'needed', tells: 'the lanes and their maxima' },
    { source: 'kubernetes/autoscalinglisteners', weight: 'needed', tells: 'whether each set has a listener' },
    { source: 'kubernetes/ephemeralrunners', weight: 'needed', tells: 'runners, their jobs and why they have no pod' },
    { source: 'kubernetes/ephemeralrunnersets', weight: 'useful', tells: 'to which set a runner belongs' },
    { source: 'kubernetes/pods', weight: 'needed', tells: 'what runners wait for, and who holds slots and room' },
    { source: 'kubernetes/nodes', weight: 'needed', tells: 'room, slots, placement and pressure' },
    {
      source: 'kubernetes/events',
      weight: 'needed',
      tells: "the scheduler's, the kubelet's and the autoscaler's words",
    },
    { source: 'kubernetes/resourcequotas', weight: 'useful', tells: 'what the namespaces may have' },
    { source: 'kubernetes/limitranges', weight: 'useful', tells: 'what a pod may ask for, and what is filled in' },
    { source: 'kubernetes/runtimeclasses', weight: 'useful', tells: 'overhead and placement of a runtime' },
    { source: 'kubernetes/persistentvolumeclaims', weight: 'useful', tells: 'whether scratch volumes came' },
    { source: 'kubernetes/storageclasses', weight: 'useful', tells: 'whether they can come' },
    { source: 'kubernetes/horizontalpodautoscalers', weight: 'useful', tells: 'autoscalers at their maximum' },
    { source: 'kubernetes/stats', weight: 'useful', tells: 'what is left of the disk for images' },
    { source: 'github/queued-jobs', weight: 'needed', tells: 'who waits and who holds' },
    { source: 'github/runners', weight: 'needed', tells: 'who is online and busy' },
    { source: 'logs', weight: 'useful', tells: 'whether listeners speak, and the words of a refusal' },
  ],
  mentions: [...LISTENER_MENTIONS, ...RUNNER_MENTIONS, GIVEN_UP, 'Application returned an error', 'exceeded quota'],
  classes: [
    {
      class: 'queued-behind-active-runner-capacity',
      severity: 'warning',
      meaning: 'every runner that the lane may have is at work; the holders are named',
      next: 'Wait for a holder to end, or move long jobs to a lane of their own. A change of the maximum comes after every other limiter.',
    },
    {
      class: 'scheduler-resource-pressure',
      severity: 'warning',
      meaning:
        'Kubernetes has no node for a runner of the lane: a resource is short on every node, or none fits its placement',
      next: 'Add the resource that is named, or ask for less of it. A higher maximum only makes pods that wait.',
    },
    {
      class: 'shared-label-fairness-contention',
      severity: 'warning',
      meaning: 'at least two repositories hold the label while one that holds none waits',
      next: 'Decide who may hold the label: neither GitHub nor ARC gives precedence. It is no proof that anything is short.',
    },
    {
      class: 'pod-slot-pressure',
      severity: 'warning',
      meaning: 'the nodes hold nearly as many pods as they may; those that ended hold no slot',
      next: 'Look who holds the slots: residue first, then other workloads, then live jobs.',
    },
    {
      class: 'quota-limit',
      severity: 'warning',
      meaning: 'the namespace refuses the pods of further runners: a quota, a LimitRange or another check at admission',
      next: 'Raise the quota or ask for less; then let the runners that failed go.',
    },
    {
      class: 'image-pull-behind-pending',
      severity: 'warning',
      meaning: 'runner pods are Pending because an image does not come: no lack of capacity',
      next: 'Make the image name, the registry or the pull secret right.',
    },
    {
      class: 'missing-scratch-volume',
      severity: 'warning',
      meaning: 'a volume in which runners work does not come, or active runners lack one that the lane must have',
      next: 'Make the storage class work, or put the volume back into the template, before work is run again.',
    },
    {
      class: 'listener-unhealthy',
      severity: 'critical',
      meaning:
        'the listener of a set is not there, ends over and over, cannot start or has been silent: no job comes to the set',
      next: 'Read its log and its waiting reason: credentials, image, or the controller. Capacity is not the question.',
    },
    {
      class: 'declared-max-reached',
      severity: 'warning',
      meaning: 'the sets of the lane have as many runners as they may have, and nothing else stands in the way',
      next: 'See who holds them. Raise the maximum in source, up to what the next limiter admits, after the capacity audit.',
    },
    {
      class: 'declared-max-exceeds-physical',
      severity: 'warning',
      meaning: 'the declared maximum is above what the nodes could carry',
      next: 'Lower the maximum to what fits, or add nodes.',
    },
    {
      class: 'runner-crash-loop',
      severity: 'warning',
      meaning: 'runners of the lane end at their start, over and over',
      next: 'Make the runner image or its entry point right.',
    },
    {
      class: 'starved',
      severity: 'critical',
      meaning: 'jobs wait while runners that fit them idle: the hand-out of jobs is broken, not capacity',
      next: 'Look at the runner group and at cancelled hand-overs; leave the idle runners alone.',
    },
    {
      class: 'saturated',
      severity: 'warning',
      meaning: 'jobs wait, no runner is idle, and the declared maximum or the nodes are the limiter',
      next: 'Work on the first limiter.',
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
