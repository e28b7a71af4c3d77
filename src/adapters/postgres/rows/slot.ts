import type { Slot, SlotFacts, SlotPhase, SlotState } from '#/core/dispatch/slot.ts'
import { promised } from './rows.ts'
import { runnerColumns, runnerFromRow } from './runner.ts'

export type SlotRow = {
  readonly uid: string
  readonly namespace: string
  readonly pod: string
  readonly scope: string
  readonly node: string | null
  readonly appeared_at: number
  readonly generation: number
  readonly state: SlotState
  readonly intended: number | null
  readonly claimed_at: number | null
  readonly runner_id: number | null
  readonly runner_name: string | null
  readonly minted_at: number | null
  readonly executing: number | null
  readonly started_at: number | null
  readonly executed: number | null
  readonly ended_at: number | null
}

type FactColumns = 'namespace' | 'pod' | 'scope' | 'node' | 'appeared_at'

/** What an update writes: the facts of a slot never change. An absent column is null. */
export type SlotUpdate = Pick<SlotRow, 'uid' | 'generation' | 'state'> & Partial<Omit<SlotRow, FactColumns>>

export function slotFromRow(row: SlotRow): Slot {
  return { ...factsFromRow(row), generation: row.generation, ...phaseFromRow(row) }
}

/** The columns that say something of a warm slot; it is read often. */
export type WarmSlotRow = Pick<SlotRow, 'uid' | FactColumns | 'generation'>

export function warmSlotFromRow(row: WarmSlotRow): Slot {
  return { ...factsFromRow(row), generation: row.generation, state: 'warm' }
}

function factsFromRow(row: Pick<SlotRow, 'uid' | FactColumns>): SlotFacts {
  return {
    uid: row.uid,
    namespace: row.namespace,
    pod: row.pod,
    scope: row.scope,
    node: row.node,
    appearedAt: row.appeared_at,
  }
}

function phaseFromRow(row: SlotRow): SlotPhase {
  switch (row.state) {
    case 'warm':
      return { state: 'warm' }
    case 'claimed':
      return {
        state: 'claimed',
        intended: promised(row.intended, 'intended'),
        claimedAt: promised(row.claimed_at, 'claimed_at'),
      }
    case 'minted':
    case 'registered':
      return {
        state: row.state,
        intended: row.intended,
        runner: { id: row.runner_id, name: promised(row.runner_name, 'runner_name') },
        mintedAt: promised(row.minted_at, 'minted_at'),
      }
    case 'executing':
      return {
        state: 'executing',
        executing: promised(row.executing, 'executing'),
        runner: { id: row.runner_id, name: promised(row.runner_name, 'runner_name') },
        startedAt: promised(row.started_at, 'started_at'),
      }
    case 'ended':
    case 'lost':
      return {
        state: row.state,
        executed: row.executed,
        runner: runnerFromRow(row),
        intended: row.intended,
        endedAt: promised(row.ended_at, 'ended_at'),
      }
  }
}

export function slotUpdate(slot: Slot): SlotUpdate {
  return { uid: slot.uid, generation: slot.generation, ...phaseColumns(slot) }
}

/** What an insert writes. */
export function slotInsert(slot: Slot): SlotUpdate & Pick<SlotRow, FactColumns> {
  return {
    ...slotUpdate(slot),
    namespace: slot.namespace,
    pod: slot.pod,
    scope: slot.scope,
    node: slot.node,
    appeared_at: slot.appearedAt,
  }
}

function phaseColumns(slot: Slot): Pick<SlotRow, 'state'> & Partial<SlotRow> {
  switch (slot.state) {
    case 'warm':
      return { state: slot.state }
    case 'claimed':
      return { state: slot.state, intended: slot.intended, claimed_at: slot.claimedAt }
    case 'minted':
    case 'registered':
      return {
        state: slot.state,
        intended: slot.intended,
        ...runnerColumns(slot.runner),
        minted_at: slot.mintedAt,
      }
    case 'executing':
      return {
        state: slot.state,
        executing: slot.executing,
        ...runnerColumns(slot.runner),
        started_at: slot.startedAt,
      }
    case 'ended':
    case 'lost':
      return {
        state: slot.state,
        executed: slot.executed,
        ...runnerColumns(slot.runner),
        intended: slot.intended,
        ended_at: slot.endedAt,
      }
  }
}
