import { blind, none, seen } from '#/core/basics/observed.ts'
import type { Places, Room } from '#/core/interlock/candidate-snapshot.ts'
import { EXAMPLE_CANDIDATE } from '#/core/interlock/example-candidate.ts'
import { cannotSee, holds, refuses } from '#/core/interlock/gate.ts'
import type { Gate } from '#/core/interlock/gate.ts'
import { readAt } from '#/core/interlock/reading.ts'

const { now } = EXAMPLE_CANDIDATE
const withRoom = (needs: number, run: Places, set: Places = run) => ({
  room: readAt(now, seen({ needs, run, set })),
})
const UNKNOWN = blind('not-asked', 'no cap was given')

function findFull({ needs, run, set }: Room): string | null {
  const lacks = ({ used, most }: Places): boolean => used + needs > most
  const text = ({ used, most }: Places): string => `needs ${needs} of ${most} removals, ${used} are used`
  if (lacks(run)) return `the cap of this run is full: ${text(run)}`
  return lacks(set) ? `the cap of the set is full: ${text(set)}` : null
}

export const withinCap: Gate = {
  id: 'within-cap',
  proof: 'the cap per run and per set has room',
  about:
    'A mistake in a rule or a source must not remove a fleet: `--max` bounds a run, `--max-per-set` one set. Candidates use the cap in the order in which they are listed, a runner under two policies once. An act on several runners needs room for all of them: a part of a wedged set is refilled within seconds. At the act the places are counted in the transaction.',
  toSeeIt: 'give --max',
  check: ({ room }) => {
    const { observed } = room
    if (observed.kind !== 'seen') {
      return cannotSee(observed.kind === 'blind' ? observed.reason : UNKNOWN.reason, room)
    }
    const full = findFull(observed.value)
    const { needs, run } = observed.value
    return full === null ? holds(`${run.used + needs} of ${run.most} removals of this run`, room) : refuses(full, room)
  },
  examples: {
    holds: [
      { when: 'nothing was removed yet', candidate: {} },
      { when: 'it takes the last place', candidate: withRoom(1, { used: 9, most: 10 }) },
    ],
    refuses: [
      { when: 'the run has removed as many as it may', candidate: withRoom(1, { used: 10, most: 10 }) },
      {
        when: 'the set has lost as many as it may',
        candidate: withRoom(1, { used: 5, most: 10 }, { used: 5, most: 5 }),
      },
      { when: 'three runners go together and two places are left', candidate: withRoom(3, { used: 8, most: 10 }) },
    ],
    blind: [
      { when: 'the places could not be counted', candidate: { room: readAt(now, blind('unreachable', 'the store')) } },
      { when: 'there is no cap', candidate: { room: readAt(now, none()) } },
    ],
  },
}
