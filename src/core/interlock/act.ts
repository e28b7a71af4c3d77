import { GATE_IDS } from './gate.ts'
import type { GateId } from './gate.ts'

/** The acts that remove runners and pods, with the gates that each requires. The ledger uses the names of `ActId`. */
export const ACT_GATES = {
  'delete-ephemeral-runner': GATE_IDS.filter((id) => id !== 'never-started'),
  'scale-ephemeral-runner-set': GATE_IDS.filter((id) => id !== 'never-started'),
  'delete-pod': ['identity', 'never-started', 'old-enough', 'complete-read', 'within-cap', 'evidence-stored'],
  // The act is `delete-pod` too: of an own pod whose runner has ended, and whose death is stored.
  'delete-ended-pod': ['identity', 'no-worker-process', 'complete-read', 'within-cap', 'evidence-stored'],
} as const satisfies Readonly<Record<string, readonly GateId[]>>

/** What a candidate must prove. */
export type GateSet = keyof typeof ACT_GATES
export type ActId = Exclude<GateSet, 'delete-ended-pod'>
