/**
 * Stuck: GitHub lists a runner that was minted for a pod of ours, and nothing will ever start it.
 * Not caught elsewhere: GitHub removes a runner by itself only if it had a job, or after a day offline. Until then it
 *   blocks its name and counts against the limit of the runner group.
 * Proof: It bears the name of a pod of ours, no live slot has it, and every list showed it offline and not busy. GitHub
 *   itself refuses to remove a runner that is busy.
 * Threshold: Ten minutes offline in each of our lists: longer than any runner takes from its registration to its start.
 */

import { printAge } from '#/core/basics/age.ts'
import { formatDuration } from '#/core/basics/duration.ts'
import { isLive, slotRunner } from '#/core/dispatch/slot.ts'
import type { Slot } from '#/core/dispatch/slot.ts'
import { check } from '#/core/recovery/recovery.ts'
import type { RecoveryLoop } from '#/core/recovery/recovery.ts'
import type { RunnerAtGitHub } from '#/core/recovery/seen-at-github.ts'

export type IdleRegistration = {
  readonly runner: RunnerAtGitHub
  /** `OWNER` or `OWNER/REPOSITORY`. */
  readonly place: string
  /** Whose name it bears: the runner of a slot, or one that was minted for its pod. Null: it is not ours. */
  readonly slot: Slot | null
  /** Since when each list had it offline and not busy. */
  readonly idleSince: number
}

/** GitHub's list has no time of registration, so the age counts from our own first look. */
export const IDLE_FOR_MS = 10 * 60_000

export const idleRegistrations: RecoveryLoop<IdleRegistration> = {
  id: 'idle-registrations',
  decide: ({ runner, place, slot, idleSince }, now) => {
    const { id, name, online, busy } = runner
    const age = `offline and not busy for ${printAge(idleSince, now)}; the minimum is ${formatDuration(IDLE_FOR_MS)}`
    const row = `GitHub lists runner ${id} as ${online ? 'online' : 'offline'}, ${busy ? 'busy' : 'not busy'}`
    const ours = slot === null ? 'no pod of ours has this name' : `it bears the name of pod ${slot.pod} (${slot.uid})`
    return {
      loop: 'idle-registrations',
      act: 'deregister-runner',
      subject: { kind: 'Runner', namespace: place, name, uid: null },
      since: idleSince,
      checks: [
        check('identity', slot !== null, { why: ours, at: now }, now),
        checkUnused(runner, slot, now),
        check('github-not-busy', !busy && !online, { why: row, at: now }, now),
        check('old-enough', now - idleSince >= IDLE_FOR_MS, { why: age, at: now }, now),
      ],
      action: { kind: 'deregister', runner: { id, name } },
      leavesBehind: null,
    }
  },
}

function checkUnused({ name }: RunnerAtGitHub, slot: Slot | null, now: number) {
  const gate = 'no-job-on-record'
  if (slot === null || !isLive(slot)) return check(gate, true, { why: 'no live slot has it', at: now }, now)
  const own = slotRunner(slot)
  // Between the mint and its record the slot does not have its runner yet.
  const isFree = slot.state === 'warm' || (own !== null && own.name !== name)
  const other = own === null ? 'has no runner' : `has the runner ${own.name}`
  return check(gate, isFree, { why: `slot ${slot.uid} is ${slot.state} and ${other}`, at: now }, now)
}
