import type { Signature } from '#/core/evidence/signature.ts'
import { CONTROLLERS_SIGNATURES } from './controllers/index.ts'
import { GITHUB_SIGNATURES } from './github/index.ts'
import { KERNEL_SIGNATURES } from './kernel/index.ts'
import { NODE_SIGNATURES } from './node/index.ts'
import { POD_SIGNATURES } from './pod/index.ts'
import { RUNNER_SIGNATURES } from './runner/index.ts'
import { WORK_SIGNATURES } from './work/index.ts'

/** Every signature, by who writes the line: the runner, the API server about the pod, the kernel, the node's daemons, GitHub, the job itself, the controllers. */
export const SIGNATURES: readonly Signature[] = [
  ...RUNNER_SIGNATURES,
  ...POD_SIGNATURES,
  ...KERNEL_SIGNATURES,
  ...NODE_SIGNATURES,
  ...GITHUB_SIGNATURES,
  ...WORK_SIGNATURES,
  ...CONTROLLERS_SIGNATURES,
]
