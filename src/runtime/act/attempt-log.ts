import type { Ending } from '#/core/ledger/attempt.ts'
import type { GateProof, LedgerRow } from '#/core/ledger/ledger-row.ts'
import type { Moved } from '#/ports/store/ledger.ts'
import type { ActMeans, ActResult, ActWarrant } from './means.ts'

/** In order. Each is written before it is taken, so that the row of a crash says what may have happened. */
export type ActStep = 'resuming' | 'storing-evidence' | 'deregistering' | 'proving-again' | 'removing'

/** Thrown where the attempt is not ours any more: whoever holds it goes on, and we stop at once. */
export class AttemptLost extends Error {
  readonly result: ActResult

  constructor(result: ActResult) {
    super('the attempt belongs to somebody else')
    this.result = result
  }
}

type Noted = { readonly gates?: readonly GateProof[]; readonly evidence?: string }

/** The row of one attempt, as we know it. */
export class AttemptLog {
  #row: LedgerRow
  readonly #means: Pick<ActMeans, 'ledger' | 'clock'>
  readonly #warrant: ActWarrant

  constructor(row: LedgerRow, means: Pick<ActMeans, 'ledger' | 'clock'>, warrant: ActWarrant) {
    this.#row = row
    this.#means = means
    this.#warrant = warrant
  }

  get row(): LedgerRow {
    return this.#row
  }

  async advance(step: ActStep, { gates, evidence }: Noted = {}): Promise<void> {
    const written = { ...this.#by(), step, gates: gates ?? null, evidence: evidence ?? null }
    this.#keep(await this.#means.ledger.advance(this.#row, written))
  }

  async end(ending: Ending, { gates, evidence }: Noted = {}): Promise<ActResult> {
    const written = { ...this.#by(), ...ending, gates: gates ?? null, evidence: evidence ?? null }
    this.#keep(await this.#means.ledger.end(this.#row, written))
    return { kind: 'ended', row: this.#row }
  }

  #by() {
    const { actor, epoch } = this.#warrant
    return { at: this.#means.clock.now(), actor, epoch }
  }

  #keep(moved: Moved): void {
    if (moved.kind === 'fenced') throw new AttemptLost(moved)
    if (moved.kind === 'stale') throw new AttemptLost({ kind: 'taken', row: moved.row })
    this.#row = moved.row
  }
}
