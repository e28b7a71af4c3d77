import type { Signature } from '#/core/evidence/signature.ts'
import { certificateNotTrusted } from './certificate-not-trusted.ts'
import { daemonStopped } from './daemon-stopped.ts'
import { diskRefused } from './disk-refused.ts'
import { dockerDaemonGone } from './docker-daemon-gone.ts'
import { forkFailed } from './fork-failed.ts'
import { heapExhausted } from './heap-exhausted.ts'
import { hostFilesExhausted } from './host-files-exhausted.ts'
import { interrupted } from './interrupted.ts'
import { jobPodFailed } from './job-pod-failed.ts'
import { ownKill } from './own-kill.ts'
import { processFilesExhausted } from './process-files-exhausted.ts'
import { stepKilled } from './step-killed.ts'
import { workFolderDenied } from './work-folder-denied.ts'

export const WORK_SIGNATURES: readonly Signature[] = [
  interrupted,
  stepKilled,
  hostFilesExhausted,
  processFilesExhausted,
  certificateNotTrusted,
  workFolderDenied,
  forkFailed,
  heapExhausted,
  dockerDaemonGone,
  daemonStopped,
  diskRefused,
  ownKill,
  jobPodFailed,
]
