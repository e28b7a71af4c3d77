import type { Cause } from '#/core/why/cause.ts'
import { apiRateLimited } from './api-rate-limited.ts'
import { completedNormally } from './completed-normally.ts'
import { completionHandshakeLost } from './completion-handshake-lost.ts'
import { deadlineExceeded } from './deadline-exceeded.ts'
import { degradedNode } from './degraded-node.ts'
import { diskFull } from './disk-full.ts'
import { drainWithoutTrap } from './drain-without-trap.ts'
import { evictedNodePressure } from './evicted-node-pressure.ts'
import { evictedOwnLimit } from './evicted-own-limit.ts'
import { fdExhausted } from './fd-exhausted.ts'
import { forceDeleted } from './force-deleted.ts'
import { gracefulShutdown } from './graceful-shutdown.ts'
import { hostStarvation } from './host-starvation.ts'
import { imagePull } from './image-pull.ts'
import { jobCancelled } from './job-cancelled.ts'
import { jobFailed } from './job-failed.ts'
import { jobTimedOut } from './job-timed-out.ts'
import { killedInContainer } from './killed-in-container.ts'
import { lockLost } from './lock-lost.ts'
import { networkFault } from './network-fault.ts'
import { noJobAssigned } from './no-job-assigned.ts'
import { nodeLost } from './node-lost.ts'
import { oomContainer } from './oom-container.ts'
import { oomGuest } from './oom-guest.ts'
import { oomNode } from './oom-node.ts'
import { oomStep } from './oom-step.ts'
import { pidsExhausted } from './pids-exhausted.ts'
import { processCrash } from './process-crash.ts'
import { quotaExceeded } from './quota-exceeded.ts'
import { registrationDenied } from './registration-denied.ts'
import { runnerDeregistered } from './runner-deregistered.ts'
import { runnerOutdated } from './runner-outdated.ts'
import { runtimeFault } from './runtime-fault.ts'
import { selfUpdate } from './self-update.ts'
import { sessionConflict } from './session-conflict.ts'
import { startFailed } from './start-failed.ts'
import { tlsTrust } from './tls-trust.ts'
import { unschedulable } from './unschedulable.ts'
import { vmTeardown } from './vm-teardown.ts'
import { workspaceUnclean } from './workspace-unclean.ts'

/** Every cause of docs/contracts/causes.md but `unknown`, in its order. Of two with equal weight the earlier is named. */
export const CAUSES: readonly Cause[] = [
  imagePull,
  unschedulable,
  quotaExceeded,
  startFailed,
  degradedNode,
  registrationDenied,
  apiRateLimited,
  runnerOutdated,
  sessionConflict,
  runnerDeregistered,
  completedNormally,
  completionHandshakeLost,
  jobFailed,
  jobCancelled,
  jobTimedOut,
  noJobAssigned,
  selfUpdate,
  tlsTrust,
  workspaceUnclean,
  oomContainer,
  oomStep,
  oomGuest,
  oomNode,
  evictedNodePressure,
  evictedOwnLimit,
  deadlineExceeded,
  gracefulShutdown,
  drainWithoutTrap,
  forceDeleted,
  killedInContainer,
  vmTeardown,
  nodeLost,
  runtimeFault,
  diskFull,
  fdExhausted,
  pidsExhausted,
  hostStarvation,
  networkFault,
  lockLost,
  processCrash,
]
