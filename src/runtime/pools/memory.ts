import { NO_HISTORY } from '#/core/pools/reconcile/start-history.ts'
import type { PoolHistory } from '#/core/pools/reconcile/start-history.ts'
import { backoffMs } from '#/core/basics/backoff.ts'

/** What the leader remembers between two rounds. Losing it costs a round or two, and never a pod. */
export class PoolMemory {
  readonly #histories = new Map<string, PoolHistory>()
  /** Pods that were made, by namespace and name, until the watch shows them. */
  readonly #reserved = new Map<string, { readonly scope: string; readonly until: number }>()
  readonly #attempts = new Map<string, { readonly tries: number; readonly notBefore: number }>()
  /** Pods that we retired. */
  readonly retired = new Set<string>()
  /** Pods whose evidence is stored. */
  readonly recorded = new Set<string>()

  history(scope: string): PoolHistory {
    return this.#histories.get(scope) ?? NO_HISTORY
  }

  remember(scope: string, history: PoolHistory): void {
    this.#histories.set(scope, history)
  }

  reserve(pod: string, scope: string, now: number): void {
    this.#reserved.set(pod, { scope, until: now + UNSEEN_MS })
  }

  unreserve(pod: string): void {
    this.#reserved.delete(pod)
  }

  countReserved(scope: string): number {
    return [...this.#reserved.values()].filter((one) => one.scope === scope).length
  }

  /** Whether it may be tried now. What failed is tried again, less and less often: each try is a row in the ledger. */
  mayTry(key: string, now: number): boolean {
    return now >= (this.#attempts.get(key)?.notBefore ?? 0)
  }

  tried(key: string, now: number): void {
    const tries = this.#attempts.get(key)?.tries ?? 0
    this.#attempts.set(key, { tries: tries + 1, notBefore: now + backoffMs(AGAIN, tries) })
  }

  /** Keeps what is about these scopes and pods. `pods`: by namespace and name, with the UID. */
  prune(scopes: ReadonlySet<string>, pods: ReadonlyMap<string, string>, now: number): void {
    const uids = new Set(pods.values())
    for (const scope of this.#histories.keys()) if (!scopes.has(scope)) this.#histories.delete(scope)
    for (const [pod, { until }] of this.#reserved) if (pods.has(pod) || now >= until) this.#reserved.delete(pod)
    for (const set of [this.retired, this.recorded]) for (const uid of set) if (!uids.has(uid)) set.delete(uid)
    for (const [key, { notBefore }] of this.#attempts) if (now - notBefore > FORGOTTEN_MS) this.#attempts.delete(key)
  }
}

/** A watch that lags more than this is blind. */
const UNSEEN_MS = 30_000
const AGAIN = { firstMs: 5_000, mostMs: 300_000 }
const FORGOTTEN_MS = 600_000
