import { afterEach, beforeEach, describe } from 'vitest'
import type { Store } from '#/ports/store/store.ts'
import { assignmentsContract } from './store-assignments.ts'
import { deliveriesContract } from './store-deliveries.ts'
import { findingsAndBreakersContract } from './store-findings.ts'
import { involvedContract } from './store-involved.ts'
import { ledgerContract, ledgerFencingContract } from './store-ledger.ts'
import { matchContract } from './store-match.ts'
import { deathsContract } from './store-deaths.ts'
import { retentionContract } from './store-retention.ts'
import { livePodsContract } from './store-live-pods.ts'
import { tokensContract } from './store-tokens.ts'
import { textsContract } from './store-texts.ts'

export type OpenedStore = {
  readonly store: Store
  /** Gives the lease to the next leader, and returns its epoch. */
  readonly lead: () => Promise<number>
  readonly close: () => Promise<void>
}

/** What every store must do. `open` returns an empty one. */
export function describeStoreContract(name: string, open: () => Promise<OpenedStore>): void {
  describe(`The store contract: ${name}`, () => {
    let opened: OpenedStore | undefined
    beforeEach(async () => {
      opened = await open()
    })
    afterEach(async () => {
      await opened?.close()
      opened = undefined
    })
    const inTest = (): OpenedStore => {
      if (opened === undefined) throw new Error('use the store only inside tests')
      return opened
    }
    const store = (): Store => inTest().store
    assignmentsContract(store)
    involvedContract(store)
    matchContract(store)
    deliveriesContract(store)
    deathsContract(store)
    livePodsContract(store)
    ledgerContract(store)
    ledgerFencingContract(store, async () => await inTest().lead())
    findingsAndBreakersContract(store)
    retentionContract(store)
    tokensContract(store)
    textsContract(store)
  })
}
