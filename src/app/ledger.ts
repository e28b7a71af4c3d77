import type { Ledger } from '#/ports/store/ledger.ts'
import { countActs } from '#/runtime/ledger/count-acts.ts'
import { keepBeforeAct } from '#/runtime/ledger/keep-before-act.ts'
import type { KeepMeans } from '#/runtime/ledger/keep-before-act.ts'
import { evidenceApi } from '#/server/ledger/evidence.ts'
import type { EvidenceOptions } from '#/server/ledger/evidence.ts'
import type { Guards } from '#/server/access/auth.ts'
import { ledgerApi } from '#/server/ledger/ledger.ts'
import type { LedgerOptions } from '#/server/ledger/ledger.ts'
import { nothingToDispose } from '#/app/part/part.ts'
import type { Part, PartMeans } from '#/app/part/part.ts'

export type LedgerPart = Part & {
  /** For what acts: its attempts are counted in the metrics. */
  readonly ledger: Ledger
}

type Means = PartMeans & {
  readonly guards: Guards
  readonly ledger: Ledger
  readonly deaths: KeepMeans['deaths']
  readonly redact: KeepMeans['redact']
  /** The version of the rules. */
  readonly rules: string
  /** Through the connections of the API. */
  readonly forApi: Pick<Ledger, 'list'>
  readonly admit: LedgerOptions['admit']
}

/** The ledger of every attempt, and `/v1/ledger`. */
export function openLedger(means: Means): LedgerPart {
  const { guards, ledger, deaths, redact, rules, forApi, admit, metrics, clock } = means
  const keep: EvidenceOptions['keep'] = async (attempt, given) =>
    await keepBeforeAct({ ledger, deaths, redact, rules, clock }, attempt, given)
  const counted = countActs(ledger, metrics)
  const handler = ledgerApi({ guards, ledger: forApi, writes: counted, clock, admit })
  return {
    ledger: counted,
    routes: [
      { path: '/v1/ledger', handler },
      { path: '/v1/evidence', handler: evidenceApi({ guards, admit, keep }) },
    ],
    dispose: nothingToDispose,
  }
}
