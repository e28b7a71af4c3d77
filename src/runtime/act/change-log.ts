import type { Attempt, Ending } from '#/core/ledger/attempt.ts'
import type { GateProof, LedgerRow } from '#/core/ledger/ledger-row.ts'
import type { Clock } from '#/ports/clock.ts'
import type { Ledger, Moved } from '#/ports/store/ledger.ts'
import type { ActWarrant } from './means.ts'

/** Each is written before it is taken, so that the row of a crash says what may have happened. */
export type ChangeStep =
  | 'closing'
  | 'patching'
  | 'proving'
  | 'applying'
  | 'storing-evidence'
  | 'deleting'
  | 'deregistering'

/** Nothing of a change is in doubt while its effect is being proved. */
const SETTLED: ReadonlySet<string> = new Set<ChangeStep>(['proving'])

export type ChangeMeans = { readonly ledger: Ledger; readonly clock: Clock; readonly signal: AbortSignal }

/** Somebody else holds the attempt, or another leader has the lease. */
export type NotOurs =
  | { readonly kind: 'taken'; readonly row: LedgerRow | null }
  | { readonly kind: 'fenced'; readonly epoch: number | null }

class ChangeLost extends Error {
  readonly result: NotOurs

  constructor(result: NotOurs) {
    super('the attempt belongs to somebody else')
    this.result = result
  }
}

/** The row of one change, as we know it. */
export class ChangeLog {
  #row: LedgerRow
  readonly #means: ChangeMeans
  readonly #warrant: ActWarrant

  constructor(row: LedgerRow, means: ChangeMeans, warrant: ActWarrant) {
    this.#row = row
    this.#means = means
    this.#warrant = warrant
  }

  get row(): LedgerRow {
    return this.#row
  }

  async advance(step: ChangeStep, evidence: string | null = null): Promise<void> {
    this.#keep(await this.#means.ledger.advance(this.#row, { ...this.#by(), step, gates: null, evidence }))
  }

  async end(ending: Ending, gates: readonly GateProof[] | null = null): Promise<void> {
    this.#keep(await this.#means.ledger.end(this.#row, { ...this.#by(), ...ending, gates, evidence: null }))
  }

  #by() {
    const { actor, epoch } = this.#warrant
    return { at: this.#means.clock.now(), actor, epoch }
  }

  #keep(moved: Moved): void {
    if (moved.kind === 'fenced') throw new ChangeLost(moved)
    if (moved.kind === 'stale') throw new ChangeLost({ kind: 'taken', row: moved.row })
    this.#row = moved.row
  }
}

export type Change<T> = {
  readonly attempt: Attempt
  /** How an attempt ended that a crash left, by what is there now. */
  readonly conclude: (left: LedgerRow) => Promise<Ending>
  readonly work: (log: ChangeLog) => Promise<T>
}

/** Begins an attempt, closes the one that a crash left on the same object, and lets the work end it. */
export async function attemptChange<T>(
  change: Change<T>,
  means: ChangeMeans,
  warrant: ActWarrant,
): Promise<T | NotOurs> {
  try {
    for (;;) {
      const begun = await means.ledger.begin({ ...change.attempt, at: means.clock.now(), cap: warrant.cap })
      if (begun.kind === 'fenced') return begun
      if (begun.kind === 'planned') return await change.work(new ChangeLog(begun.row, means, warrant))
      if (begun.kind === 'refused' || !isAbandoned(begun.row, means, warrant)) return { kind: 'taken', row: begun.row }
      await close(begun.row, change.conclude, { means, warrant })
    }
  } catch (error) {
    if (error instanceof ChangeLost) return error.result
    throw error
  }
}

type Closing = { readonly means: ChangeMeans; readonly warrant: ActWarrant }

async function close(row: LedgerRow, conclude: (left: LedgerRow) => Promise<Ending>, by: Closing): Promise<void> {
  const left = new ChangeLog(row, by.means, by.warrant)
  await left.advance('closing')
  await left.end(await conclude(row))
}

/** Closes an attempt that a crash left, although nobody begins the same one again. Null: it was closed, or has an owner. */
export async function closeLeft(
  row: LedgerRow,
  conclude: (left: LedgerRow) => Promise<Ending>,
  by: Closing,
): Promise<NotOurs | null> {
  if (!isAbandoned(row, by.means, by.warrant)) return null
  try {
    await close(row, conclude, by)
    return null
  } catch (error) {
    if (error instanceof ChangeLost) return error.result
    throw error
  }
}

function isAbandoned(
  { outcome, steps, at }: LedgerRow,
  { clock }: ChangeMeans,
  { abandonedAfterMs }: ActWarrant,
): boolean {
  if (outcome !== 'planned') return false
  const last = steps.at(-1)
  return SETTLED.has(last?.step ?? '') || clock.now() - (last?.at ?? at) >= abandonedAfterMs
}

/** For the one request that changes something: Ctrl-C must not leave open whether it happened. It has its own deadline. */
export function uninterrupted(): AbortSignal {
  return new AbortController().signal
}

/** How often a change is judged anew after somebody else wrote to the object: ARC and the kubelet do, all the time. */
export const MOST_TRIES = 6
