import { openMemoryStore } from '#/adapters/memory/store.ts'
import type { LedgerRow } from '#/core/ledger/ledger-row.ts'
import type { Ledger } from '#/ports/store/ledger.ts'
import { act } from '#/runtime/act/act.ts'
import type { ActResult } from '#/runtime/act/means.ts'
import { meansIn, WARRANT } from './actor.ts'
import { World } from './world.ts'

/** Thrown by a port: the process ends there. */
export class Crash extends Error {}

/** A world with one runner, and an empty ledger. */
export function openWorld(): { readonly world: World; readonly ledger: Ledger } {
  const { store } = openMemoryStore()
  const world = new World()
  world.add('one')
  return { world, ledger: store.ledger }
}

export function outcomeOf(result: ActResult): string {
  return result.kind === 'ended' ? result.row.outcome : result.kind
}

export async function listRows(ledger: Ledger): Promise<readonly LedgerRow[]> {
  return await ledger.list({ limit: 100 })
}

/** Every call of a port in an act that goes through, in order. */
export async function callsOfAct(): Promise<readonly string[]> {
  const { world, ledger } = openWorld()
  const calls: string[] = []
  const means = meansIn(world, ledger, (call) => void calls.push(call))
  await act(world.candidateOf('one'), means, WARRANT)
  return calls
}
