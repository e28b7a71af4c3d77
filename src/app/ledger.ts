import type { Ledger } from '#/ports/store/ledger.ts'
import { countActs } from '#/runtime/ledger/count-acts.ts'
import type { Guards } from '#/server/auth.ts'
import { ledgerApi } from '#/server/ledger.ts'
import type { LedgerOptions } from '#/server/ledger.ts'
import { nothingToDispose } from './part.ts'
import type { Part, PartMeans } from './part.ts'

export type LedgerPart = Part & {
  /** For what acts: its attempts are counted in the metrics. */
  readonly ledger: Ledger
}

type Means = PartMeans & {
  readonly guards: Guards
  readonly ledger: Ledger
  /** Through the connections of the API. */
  readonly forApi: Pick<Ledger, 'list'>
  readonly admit: LedgerOptions['admit']
}

/** The ledger of every attempt, and `/v1/ledger`. */
export function openLedger({ guards, ledger, forApi, admit, metrics, clock }: Means): LedgerPart {
  const counted = countActs(ledger, metrics)
  const handler = ledgerApi({ guards, ledger: forApi, writes: counted, clock, admit })
  return {
    ledger: counted,
    routes: [{ path: '/v1/ledger', handler }],
    dispose: nothingToDispose,
  }
}
