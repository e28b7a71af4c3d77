import { openMemoryStore } from '#/adapters/memory/store.ts'
import type { ActBook } from '#/cli/acting/open-act-book.ts'
import type { LedgerRow } from '#/core/ledger/ledger-row.ts'
import type { Ledger } from '#/ports/store/ledger.ts'
import { runInProcess } from '#test/cli/run-in-process.ts'
import type { SimulatedFleet } from './simulated-fleet.ts'

export const APPLY = ['--apply', '--yes', '-o', 'json'] as const

export type Answer = {
  readonly candidates: readonly {
    readonly subject: object
    readonly decision: string
    readonly decidedBy: string | null
    readonly why: string
    readonly gates: readonly { readonly gate: string; readonly holds: boolean | null }[]
  }[]
}

/** A ledger in memory, for suites that replace `openActBook`. */
export function memoryBook(storeEvidence?: ActBook['storeEvidence']): ActBook {
  const { store } = openMemoryStore()
  return {
    ledger: store.ledger,
    storeEvidence: storeEvidence ?? (async ({ id }) => ({ kind: 'stored', id: `evidence-${id}` })),
    storePod: async ({ id }) => ({ kind: 'stored', id: `evidence-${id}` }),
    actor: 'tester',
    where: 'memory',
    [Symbol.asyncDispose]: async () => undefined,
  }
}

type Manner = NonNullable<Parameters<typeof runInProcess>[1]>

export async function reap(
  fleet: Pick<SimulatedFleet, 'env' | 'kubeconfig' | 'clock'>,
  args: readonly string[],
  manner: Manner = {},
) {
  const { env, kubeconfig, clock } = fleet
  const signal = manner.signal ?? new AbortController().signal
  clock.command = signal
  const ran = await runInProcess(['reap', ...args, '--kubeconfig', kubeconfig], { env, clock, ...manner, signal })
  const isJson = args.includes('json') && ran.stdout !== ''
  return { ...ran, answer: isJson ? (JSON.parse(ran.stdout) as Answer) : null }
}

export async function listAll(ledger: Ledger): Promise<readonly LedgerRow[]> {
  return await ledger.list({ limit: 100 })
}

/** Each with the gate that decided. */
export function decisions(answer: Answer | null): readonly string[] {
  return (answer?.candidates ?? []).map(({ decision, decidedBy }) => `${decision} ${decidedBy ?? ''}`.trim())
}
