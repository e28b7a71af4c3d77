/** Every act that the ledger knows, as in docs/contracts/acting.md. */
export const LEDGER_ACTS = [
  'delete-pod',
  'delete-ephemeral-runner',
  'scale-ephemeral-runner-set',
  'deregister-runner',
  'release-claim',
  'return-job',
  'close-job',
  'rerun-job',
  'strip-finalizer',
  'apply-secret',
  'recreate-listener',
  'set-cap',
  'break-glass',
] as const
export type LedgerAct = (typeof LEDGER_ACTS)[number]

/** The kind that each deletion deletes. */
const DELETED: Readonly<Partial<Record<LedgerAct, string>>> = {
  'delete-pod': 'Pod',
  'delete-ephemeral-runner': 'EphemeralRunner',
}

/**
 * Kubernetes never uses a UID again: what was deleted once needs no second attempt. A scale set that lost its runners is
 * still there, and can wedge again.
 */
export function isDoneOnce(act: LedgerAct, { kind }: { readonly kind: string }): boolean {
  return DELETED[act] === kind
}

/** How an attempt ended. */
export const ENDS = ['refused', 'done', 'failed', 'vanished'] as const
export type End = (typeof ENDS)[number]

/** `planned`: it began and has not ended. It moves to one of the ends, once. */
export const LEDGER_OUTCOMES = ['planned', ...ENDS] as const
export type LedgerOutcome = (typeof LEDGER_OUTCOMES)[number]
