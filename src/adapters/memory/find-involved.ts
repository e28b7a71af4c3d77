import type { Involved, Involvement } from '#/core/dispatch/assignment.ts'
import { isSameRunner } from '#/core/dispatch/runner.ts'
import type { Runner } from '#/core/dispatch/runner.ts'
import { intendedJob, isLive, slotRunner } from '#/core/dispatch/slot.ts'
import type { Slot } from '#/core/dispatch/slot.ts'
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

function slotOfRunner(tables: Tables, runner: Runner): Slot | null {
  const named = [...(tables.byRunnerName.get(runner.name) ?? [])].map((uid) => tables.slots.get(uid))
  return (
    named
      .filter((slot) => slot !== undefined)
      .filter((slot) => belongsTo(slot, runner))
      .toSorted(byLikeness(runner))[0] ?? null
  )
}

function belongsTo(slot: Slot, runner: Runner): boolean {
  const own = slotRunner(slot)
  return own !== null && isSameRunner(own, runner)
}

/** Those whose id agrees before those that have none, live before gone, the latest first. */
function byLikeness(runner: Runner): (a: Slot, b: Slot) => number {
  const isByName = (slot: Slot) => Number(runner.id === null || slotRunner(slot)?.id !== runner.id)
  const isGone = (slot: Slot) => Number(!isLive(slot))
  return (a, b) =>
    isByName(a) - isByName(b) || isGone(a) - isGone(b) || b.appearedAt - a.appearedAt || byText(a.uid, b.uid)
}
