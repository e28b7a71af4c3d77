import type { BreakerGate, OpenBreaker } from '#/runtime/dispatch/breaker-gate.ts'

/** Breakers that a test opens. */
export class PutBreakers implements BreakerGate {
  opened: readonly OpenBreaker[] = []
  readonly failures: { readonly key: string; readonly until: number | undefined }[] = []
  readonly successes: string[] = []
  isOpen: BreakerGate['isOpen'] = async (key) => this.opened.find((one) => one.key === key) ?? null
  readonly open = async () => this.opened
  readonly failed = async (key: string, _why: string, until?: number) => void this.failures.push({ key, until })
  readonly succeeded = async (key: string) => void this.successes.push(key)
}
