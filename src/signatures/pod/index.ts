import type { Signature } from '#/core/evidence/signature.ts'
import { cgroupTableFull } from './cgroup-table-full.ts'
import { containerCreated } from './container-created.ts'
import { containerStartRefused } from './container-start-refused.ts'
import { containerStarted } from './container-started.ts'
import { evictedForNode } from './evicted-for-node.ts'
import { evictedForOwnLimit } from './evicted-for-own-limit.ts'
import { graceExceeded } from './grace-exceeded.ts'
import { imagePresent } from './image-present.ts'
import { imagePullFailed } from './image-pull-failed.ts'
import { kubeletBacksOff } from './kubelet-backs-off.ts'
import { kubeletStopsContainer } from './kubelet-stops-container.ts'
import { networkNotReady } from './network-not-ready.ts'
import { nodeCordoned } from './node-cordoned.ts'
import { nodeDeleted } from './node-deleted.ts'
import { nodeNotReady } from './node-not-ready.ts'
import { nodeRebooted } from './node-rebooted.ts'
import { nodeReclaims } from './node-reclaims.ts'
import { npdOomKill } from './npd-oom-kill.ts'
import { podDeadline } from './pod-deadline.ts'
import { podRefused } from './pod-refused.ts'
import { preemptedByScheduler } from './preempted-by-scheduler.ts'
import { preemptedForCriticalPod } from './preempted-for-critical-pod.ts'
import { probeFailed } from './probe-failed.ts'
import { quotaExceeded } from './quota-exceeded.ts'
import { rejectedForNodeCondition } from './rejected-for-node-condition.ts'
import { runtimeUnreachable } from './runtime-unreachable.ts'
import { sandboxChanged } from './sandbox-changed.ts'
import { sandboxFailed } from './sandbox-failed.ts'
import { systemOom } from './system-oom.ts'
import { taintEvictionCancelled } from './taint-eviction-cancelled.ts'
import { taintEvictsPod } from './taint-evicts-pod.ts'
import { taskStartFailed } from './task-start-failed.ts'
import { unschedulable } from './unschedulable.ts'
import { volumeMountFailed } from './volume-mount-failed.ts'
import { volumeNotRegistered } from './volume-not-registered.ts'

export const POD_SIGNATURES: readonly Signature[] = [
  unschedulable,
  imagePullFailed,
  kubeletBacksOff,
  kubeletStopsContainer,
  evictedForNode,
  evictedForOwnLimit,
  rejectedForNodeCondition,
  sandboxFailed,
  sandboxChanged,
  volumeMountFailed,
  volumeNotRegistered,
  nodeNotReady,
  taintEvictsPod,
  taintEvictionCancelled,
  systemOom,
  npdOomKill,
  nodeRebooted,
  nodeReclaims,
  networkNotReady,
  preemptedByScheduler,
  preemptedForCriticalPod,
  graceExceeded,
  containerStartRefused,
  cgroupTableFull,
  containerCreated,
  containerStarted,
  imagePresent,
  probeFailed,
  podDeadline,
  taskStartFailed,
  nodeCordoned,
  quotaExceeded,
  podRefused,
  runtimeUnreachable,
  nodeDeleted,
]
