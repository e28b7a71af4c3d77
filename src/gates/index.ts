import { completeRead } from './complete-read.ts'
import { evidenceStored } from './evidence-stored.ts'
import { githubDeregistered } from './github-deregistered.ts'
import { githubNoJobNamesIt } from './github-no-job-names-it.ts'
import { githubNotBusy } from './github-not-busy.ts'
import { identity } from './identity.ts'
import { listenerKnown } from './listener-known.ts'
import { neverStarted } from './never-started.ts'
import { noJobOnRecord } from './no-job-on-record.ts'
import { noWorkerProcess } from './no-worker-process.ts'
import { oldEnough } from './old-enough.ts'
import { withinCap } from './within-cap.ts'
import type { Gate } from '#/core/interlock/gate.ts'

/** Every gate of docs/contracts/findings.md, in its order: the first that refuses is named. */
export const GATES: readonly Gate[] = [
  identity,
  noJobOnRecord,
  githubNotBusy,
  githubNoJobNamesIt,
  githubDeregistered,
  noWorkerProcess,
  neverStarted,
  oldEnough,
  listenerKnown,
  completeRead,
  withinCap,
  evidenceStored,
]
