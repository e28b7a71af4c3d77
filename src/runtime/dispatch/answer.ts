import type { Secret } from '#/core/basics/secret.ts'
import { POD_REFUSALS } from '#/core/pools/pod-standing.ts'

/** Why a pod gets no job. Each is in the answer, and a label of `signalbox_dispatch_responses_total`. */
export const DISPATCH_REASONS = [
  'token-invalid',
  ...POD_REFUSALS,
  'busy',
  'breaker-open',
  'github-unavailable',
  'store-unavailable',
  'cluster-unavailable',
] as const
export type DispatchReason = (typeof DISPATCH_REASONS)[number]

export type DispatchAnswer =
  | {
      readonly kind: 'job'
      readonly slot: string
      readonly runner: { readonly id: number; readonly name: string }
      readonly jit: Secret
    }
  | { readonly kind: 'no-job' }
  /** The caller went, and nobody reads the answer. */
  | { readonly kind: 'left' }
  | DispatchRefusal

export type DispatchRefusal = {
  readonly kind: 'refused'
  readonly reason: DispatchReason
  readonly detail: string
  readonly retryAfterMs?: number
}

export function refuse(reason: DispatchReason, detail: string, retryAfterMs?: number): DispatchRefusal {
  return { kind: 'refused', reason, detail, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
}
