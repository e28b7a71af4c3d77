import type { Signature } from '#/core/evidence/signature.ts'
import { alreadyExited } from './already-exited.ts'
import { containerDied } from './container-died.ts'
import { containerExit } from './container-exit.ts'
import { deadShimNotDeleted } from './dead-shim-not-deleted.ts'
import { evictionManager } from './eviction-manager.ts'
import { guestAgentLost } from './guest-agent-lost.ts'
import { guestAgentShutdown } from './guest-agent-shutdown.ts'
import { killSent } from './kill-sent.ts'
import { leaseUpdateFailed } from './lease-update-failed.ts'
import { nodeAgentStarted } from './node-agent-started.ts'
import { nodeShuttingDown } from './node-shutting-down.ts'
import { nodeSlow } from './node-slow.ts'
import { oomdKilled } from './oomd-killed.ts'
import { plegUnhealthy } from './pleg-unhealthy.ts'
import { podDeleteSeen } from './pod-delete-seen.ts'
import { podObjectGone } from './pod-object-gone.ts'
import { sandboxStoppedUnexpectedly } from './sandbox-stopped-unexpectedly.ts'
import { serviceExited } from './service-exited.ts'
import { shimConnectionClosed } from './shim-connection-closed.ts'
import { shimDisconnected } from './shim-disconnected.ts'
import { shimLost } from './shim-lost.ts'
import { shortGrace } from './short-grace.ts'
import { spotNotice } from './spot-notice.ts'
import { stopDone } from './stop-done.ts'
import { stopRequested } from './stop-requested.ts'
import { stopSignalSent } from './stop-signal-sent.ts'
import { taskOom } from './task-oom.ts'
import { unitFailed } from './unit-failed.ts'
import { unitOomKilled } from './unit-oom-killed.ts'
import { vmRemoved } from './vm-removed.ts'
import { vmStartFailed } from './vm-start-failed.ts'
import { vmmTerminated } from './vmm-terminated.ts'
import { waitForProcessFailed } from './wait-for-process-failed.ts'

export const NODE_SIGNATURES: readonly Signature[] = [
  vmmTerminated,
  guestAgentLost,
  sandboxStoppedUnexpectedly,
  waitForProcessFailed,
  guestAgentShutdown,
  vmStartFailed,
  taskOom,
  containerExit,
  containerDied,
  stopRequested,
  stopSignalSent,
  killSent,
  stopDone,
  alreadyExited,
  shimDisconnected,
  deadShimNotDeleted,
  shimConnectionClosed,
  shimLost,
  podDeleteSeen,
  podObjectGone,
  evictionManager,
  plegUnhealthy,
  leaseUpdateFailed,
  nodeShuttingDown,
  shortGrace,
  unitOomKilled,
  unitFailed,
  serviceExited,
  oomdKilled,
  nodeAgentStarted,
  spotNotice,
  nodeSlow,
  vmRemoved,
]
