import { printAge } from '#/core/basics/age.ts'
import { formatDuration } from '#/core/basics/duration.ts'
import { blind, none, seen } from '#/core/basics/observed.ts'
import { EXAMPLE_CANDIDATE } from '#/core/interlock/example-candidate.ts'
import { cannotSee, holds, refuses } from '#/core/interlock/gate.ts'
import type { Gate } from '#/core/interlock/gate.ts'
import { readAt } from '#/core/interlock/reading.ts'

const { now } = EXAMPLE_CANDIDATE
const UNKNOWN = blind('malformed', 'the object has no creationTimestamp')

export const oldEnough: Gate = {
  id: 'old-enough',
  proof: 'above the minimum age (10 minutes by hand, 1 hour on a schedule)',
  about:
    'A runner registers before its pod exists and is offline until the runner has started: a young one looks left over. `--min-age` sets the minimum.',
  toSeeIt: 'read the object whole: its age is in metadata.creationTimestamp',
  check: ({ createdAt, terms: { minAgeMs }, now: at }) => {
    const { observed } = createdAt
    if (observed.kind !== 'seen') {
      return cannotSee(observed.kind === 'blind' ? observed.reason : UNKNOWN.reason, createdAt)
    }
    const text = `it is ${printAge(observed.value, at)} old; the minimum is ${formatDuration(minAgeMs)}`
    return at - observed.value > minAgeMs ? holds(text, createdAt) : refuses(text, createdAt)
  },
  examples: {
    holds: [
      { when: 'it is an hour old', candidate: {} },
      { when: 'it is a second above the minimum', candidate: { createdAt: readAt(now, seen(now - 601_000)) } },
    ],
    refuses: [
      { when: 'it is exactly at the minimum', candidate: { createdAt: readAt(now, seen(now - 600_000)) } },
      { when: 'its time of creation is in the future', candidate: { createdAt: readAt(now, seen(now + 60_000)) } },
    ],
    blind: [
      { when: 'its time of creation is unknown', candidate: { createdAt: readAt(now, none()) } },
      { when: 'it could not be read', candidate: { createdAt: readAt(now, blind('forbidden', '403')) } },
    ],
  },
}
