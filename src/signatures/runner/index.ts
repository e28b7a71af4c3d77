import type { Signature } from '#/core/evidence/signature.ts'
import { cancelOrShutdown } from './cancel-or-shutdown.ts'
import { cancellationReceived } from './cancellation-received.ts'
import { clockSkew } from './clock-skew.ts'
import { completionNotDelivered } from './completion-not-delivered.ts'
import { diskNearlyFull } from './disk-nearly-full.ts'
import { dotnetOutOfMemory } from './dotnet-out-of-memory.ts'
import { endedByService } from './ended-by-service.ts'
import { execRefused } from './exec-refused.ts'
import { githubReachedAgain } from './github-reached-again.ts'
import { githubUnreachable } from './github-unreachable.ts'
import { jobDroppedByServer } from './job-dropped-by-server.ts'
import { jobFailedByIo } from './job-failed-by-io.ts'
import { jobGone } from './job-gone.ts'
import { jobReceived } from './job-received.ts'
import { jobResult } from './job-result.ts'
import { jobRunning } from './job-running.ts'
import { jobTakenElsewhere } from './job-taken-elsewhere.ts'
import { listenerExited } from './listener-exited.ts'
import { lockLost } from './lock-lost.ts'
import { lockRenewalFailing } from './lock-renewal-failing.ts'
import { lockRenewed } from './lock-renewed.ts'
import { messagePollRefused } from './message-poll-refused.ts'
import { mustNotRunAsRoot } from './must-not-run-as-root.ts'
import { noSpaceLeft } from './no-space-left.ts'
import { notAuthorized } from './not-authorized.ts'
import { oneTimeRunnerDone } from './one-time-runner-done.ts'
import { renewalNullReference } from './renewal-null-reference.ts'
import { runnerDeregistered } from './runner-deregistered.ts'
import { runnerListening } from './runner-listening.ts'
import { runnerProcessKilled } from './runner-process-killed.ts'
import { runnerStopRequested } from './runner-stop-requested.ts'
import { runnerVersionRefused } from './runner-version-refused.ts'
import { selfUpdate } from './self-update.ts'
import { sessionConflict } from './session-conflict.ts'
import { stepExited } from './step-exited.ts'
import { stepIgnoredSignals } from './step-ignored-signals.ts'
import { stepTimedOut } from './step-timed-out.ts'
import { workFolderInvalid } from './work-folder-invalid.ts'
import { workerCrashed } from './worker-crashed.ts'
import { workerExited } from './worker-exited.ts'
import { workerHandoverTimedOut } from './worker-handover-timed-out.ts'

export const RUNNER_SIGNATURES: readonly Signature[] = [
  runnerListening,
  execRefused,
  jobReceived,
  jobRunning,
  lockRenewed,
  workerExited,
  jobResult,
  oneTimeRunnerDone,
  listenerExited,
  workerCrashed,
  jobFailedByIo,
  completionNotDelivered,
  cancellationReceived,
  runnerStopRequested,
  cancelOrShutdown,
  sessionConflict,
  runnerDeregistered,
  runnerVersionRefused,
  githubUnreachable,
  githubReachedAgain,
  messagePollRefused,
  notAuthorized,
  clockSkew,
  jobGone,
  jobTakenElsewhere,
  lockRenewalFailing,
  lockLost,
  jobDroppedByServer,
  renewalNullReference,
  selfUpdate,
  runnerProcessKilled,
  noSpaceLeft,
  diskNearlyFull,
  dotnetOutOfMemory,
  stepExited,
  stepTimedOut,
  stepIgnoredSignals,
  mustNotRunAsRoot,
  workFolderInvalid,
  workerHandoverTimedOut,
  endedByService,
]
