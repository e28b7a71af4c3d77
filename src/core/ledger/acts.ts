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

/** Kubernetes never uses a UID again: what was deleted once needs no second attempt. */
export const DONE_ONCE = ['delete-pod', 'delete-ephemeral-runner'] as const satisfies readonly LedgerAct[]

export function isDoneOnce(act: LedgerAct): boolean {
  return DONE_ONCE.some((one) => one === act)
}

/** How an attempt ended. */
export const ENDS = ['refused', 'done', 'failed', 'vanished'] as const
export type End = (typeof ENDS)[number]

/** `planned`: it began and has not ended. It moves to one of the ends, once. */
export const LEDGER_OUTCOMES = ['planned', ...ENDS] as const
export type LedgerOutcome = (typeof LEDGER_OUTCOMES)[number]
