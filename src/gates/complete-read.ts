import { blind, none, seen } from '#/core/basics/observed.ts'
import type { ListReading } from '#/core/interlock/candidate-snapshot.ts'
import { EXAMPLE_CANDIDATE } from '#/core/interlock/example-candidate.ts'
import { cannotSee, holds, refuses } from '#/core/interlock/gate.ts'
import type { Gate } from '#/core/interlock/gate.ts'

const { now } = EXAMPLE_CANDIDATE
const list = (rows: ListReading['rows'], notEmpty: string | null = null): ListReading => ({
  source: 'github/runners',
  rows,
  at: now,
  notEmpty,
})

function isEmpty({ rows }: ListReading): boolean {
  return rows.kind === 'none' || (rows.kind === 'seen' && rows.value === 0)
}

function oldest(lists: readonly ListReading[], at: number): number {
  return lists.reduce((time, own) => Math.min(time, own.at), at)
}

export const completeRead: Gate = {
  id: 'complete-read',
  proof: 'every list that was used was complete: all pages, not empty where it was not before',
  about:
    'Absence is evidence only in a complete list. A list with a page missing, or one that could not be read, is blind. An empty list refuses if something else shows that it cannot be empty: rows in the read before, or runners that are ready.',
  toSeeIt: 'make every list readable that is named here',
  check: ({ lists, now: current }) => {
    const at = oldest(lists, current)
    const wrong = lists.find((own) => isEmpty(own) && own.notEmpty !== null)
    if (wrong !== undefined) return refuses(`${wrong.source} is empty (${wrong.notEmpty ?? ''})`, wrong)
    const unread = lists.flatMap(({ source, rows }) => (rows.kind === 'blind' ? [{ source, reason: rows.reason }] : []))
    const [first] = unread
    if (first !== undefined) {
      const names = unread.map(({ source, reason }) => `${source} (${reason.detail})`)
      return cannotSee({ code: first.reason.code, detail: `could not be read completely: ${names.join(', ')}` }, { at })
    }
    return holds(`complete: ${lists.map(({ source }) => source).join(', ')}`, { at })
  },
  examples: {
    holds: [
      { when: 'every list was complete', candidate: {} },
      { when: 'a list is empty and nothing contradicts it', candidate: { lists: [list(none())] } },
    ],
    refuses: [
      {
        when: "GitHub's list is empty although runners are ready",
        candidate: { lists: [list(none(), 'ready runners: 3')] },
      },
      {
        when: 'a list is empty that was not empty before',
        candidate: { lists: [list(seen(0), 'it had 12 rows a minute ago')] },
      },
    ],
    blind: [
      {
        when: 'a page is missing',
        candidate: { lists: [list(blind('truncated', 'total_count is 13, rows are 12'))] },
      },
      {
        when: 'one of the lists could not be read',
        candidate: { lists: [list(seen(12)), list(blind('forbidden', '403'))] },
      },
    ],
  },
}
