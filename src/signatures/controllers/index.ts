import type { Signature } from '#/core/evidence/signature.ts'
import { arcContainerFailed } from './arc-container-failed.ts'
import { arcGaveUp } from './arc-gave-up.ts'
import { arcPodFailed } from './arc-pod-failed.ts'
import { arcRemovesIdle } from './arc-removes-idle.ts'
import { arcRolloverWaits } from './arc-rollover-waits.ts'
import { arcRunnerKilled } from './arc-runner-killed.ts'
import { arcSawSuccess } from './arc-saw-success.ts'
import { autoscalerRemovesNode } from './autoscaler-removes-node.ts'
import { karpenterDisrupts } from './karpenter-disrupts.ts'
import { karpenterEvicts } from './karpenter-evicts.ts'
import { listenerPolls } from './listener-polls.ts'
import { orphanReaped } from './orphan-reaped.ts'
import { registrationRateLimited } from './registration-rate-limited.ts'
import { registrationRefused } from './registration-refused.ts'
import { terminalRecord } from './terminal-record.ts'

export const CONTROLLERS_SIGNATURES: readonly Signature[] = [
  registrationRateLimited,
  arcRunnerKilled,
  arcPodFailed,
  arcContainerFailed,
  arcGaveUp,
  arcRolloverWaits,
  terminalRecord,
  orphanReaped,
  karpenterEvicts,
  karpenterDisrupts,
  autoscalerRemovesNode,
  registrationRefused,
  arcRemovesIdle,
  arcSawSuccess,
  listenerPolls,
]
