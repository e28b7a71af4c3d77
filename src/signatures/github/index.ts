import type { Signature } from '#/core/evidence/signature.ts'
import { cancelledByConcurrency } from './cancelled-by-concurrency.ts'
import { jobAssigned } from './job-assigned.ts'
import { jobTimeLimit } from './job-time-limit.ts'
import { jobWaiting } from './job-waiting.ts'
import { logNeverUploaded } from './log-never-uploaded.ts'
import { lostCommunication } from './lost-communication.ts'
import { neverAssigned } from './never-assigned.ts'
import { notAcquired } from './not-acquired.ts'
import { osShutdownAnnotated } from './os-shutdown-annotated.ts'
import { shutdownAnnotated } from './shutdown-annotated.ts'

export const GITHUB_SIGNATURES: readonly Signature[] = [
  jobAssigned,
  jobWaiting,
  cancelledByConcurrency,
  shutdownAnnotated,
  osShutdownAnnotated,
  lostCommunication,
  neverAssigned,
  notAcquired,
  jobTimeLimit,
  logNeverUploaded,
]
