import type { Involved, Involvement } from '#/core/assignment.ts'
import { isSameRunner } from '#/core/runner.ts'
import type { Runner } from '#/core/runner.ts'
import { intendedJob, runnerOf } from '#/core/slot.ts'
import type { Slot } from '#/core/slot.ts'
import { byText } from './tables.ts'
import type { Tables } from './tables.ts'

export function findInvolved(tables: Tables, key: Involvement): Involved {
  const slot = namedSlot(tables, key)
  const meantForJob = lookUp(tables.slots, lookUp(tables.meantFor, key.job))
  const meantForSlot = lookUp(tables.jobs, slot && intendedJob(slot))
  return {
    job: lookUp(tables.jobs, key.job),
    slot,
    meantForJob: meantForJob?.uid === slot?.uid ? null : meantForJob,
    meantForSlot: meantForSlot?.id === key.job ? null : meantForSlot,
  }
}

function lookUp<K, V>(map: ReadonlyMap<K, V>, key: K | null): V | null {
  return key === null ? null : (map.get(key) ?? null)
}

function namedSlot(tables: Tables, key: Involvement): Slot | null {
  return lookUp(tables.slots, key.slot) ?? (key.runner && slotOfRunner(tables, key.runner))
}

/** Only live slots: what has ended hears nothing more, and must not stand before a live slot with the same name. */
function slotOfRunner(tables: Tables, runner: Runner): Slot | null {
  let best: { readonly slot: Slot; readonly rank: number } | null = null
  for (const slot of tables.liveSlots.values()) {
    const own = runnerOf(slot)
    const rank = own === null ? 0 : likeness(own, runner)
    if (rank === 0) continue
    if (best === null || rank > best.rank || (rank === best.rank && byLatest(slot, best.slot) < 0))
      best = { slot, rank }
  }
  return best?.slot ?? null
}

/** 2: the ids agree too. 1: an id is missing. 0: another runner. */
function likeness(own: Runner, named: Runner): 0 | 1 | 2 {
  if (!isSameRunner(own, named)) return 0
  return own.id !== null && named.id !== null ? 2 : 1
}

function byLatest(a: Slot, b: Slot): number {
  return b.appearedAt - a.appearedAt || byText(a.uid, b.uid)
}
