import { GATE_IDS } from './gate.ts'
import type { GateId } from './gate.ts'

/** The acts that remove runners and pods, with the gates that each requires. The ledger uses the same names. */
export const ACT_GATES = {
  'delete-ephemeral-runner': GATE_IDS.filter((id) => id !== 'never-started'),
  'scale-ephemeral-runner-set': GATE_IDS.filter((id) => id !== 'never-started'),
  'delete-pod': ['identity', 'never-started', 'old-enough', 'complete-read', 'within-cap', 'evidence-stored'],
} as const satisfies Readonly<Record<string, readonly GateId[]>>

export type ActId = keyof typeof ACT_GATES
