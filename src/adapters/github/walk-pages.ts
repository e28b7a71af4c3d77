import type { Blind, Observed } from '#/core/basics/observed.ts'
import { seenList } from '#/core/basics/observed.ts'
import type { Client } from '#/adapters/github/http/client.ts'
import type { CountedList, CountedPage, Drifted, Row } from './counted-page.ts'
import { MOST_PAGES, PER_PAGE, readCountedPage } from './counted-page.ts'

/** In a row, at one place. */
const MOST_FAILURES = 6

/**
 * Page by page, for a list that changes too often to be read in one piece. A page is believed if the one before it still
 * ends with the same row afterwards: then no row slipped from one to the other unseen. So every row is found that was
 * there all the time; one that came or went meanwhile is found or not.
 */
export async function walkPages<T extends Row>(
  client: Client,
  list: CountedList<T>,
): Promise<Observed<readonly T[]> | Drifted> {
  const first = await readCountedPage(client, list, 1)
  if (first.kind === 'blind') return first
  const found = new Map(first.value.rows.map((row) => [row.id, row]))
  let here = first.value
  let number = 1
  let failures = 0
  while (!isLast(here, number)) {
    const step = await stepFrom(client, list, number, here)
    if (step.kind === 'blind') return step
    failures = step.kind === 'next' ? 0 : failures + 1
    if (step.kind === 'next') number += 1
    else if (failures === MOST_FAILURES) return { kind: 'drifted', why: step.why }
    if (number > MOST_PAGES) return { kind: 'drifted', why: 'the list has no end' }
    here = step.page
    for (const row of here.rows) found.set(row.id, row)
  }
  const flaw = findFlaw(here, number)
  return flaw === null ? seenList([...found.values()]) : { kind: 'drifted', why: flaw }
}

type Step<T> =
  | { readonly kind: 'next'; readonly page: CountedPage<T> }
  /** The page where we are, as it is now. */
  | { readonly kind: 'same'; readonly page: CountedPage<T>; readonly why: string }

async function stepFrom<T extends Row>(
  client: Client,
  list: CountedList<T>,
  number: number,
  here: CountedPage<T>,
): Promise<Step<T> | Blind> {
  const next = await readCountedPage(client, list, number + 1)
  if (next.kind === 'blind') return next
  const again = await readCountedPage(client, list, number)
  if (again.kind === 'blind') return again
  const flaw =
    findFlaw(again.value, number) ?? findFlaw(next.value, number + 1) ?? findGap(here, next.value, again.value)
  if (flaw === null) return { kind: 'next', page: next.value }
  return { kind: 'same', page: pickLater(again.value, here, number), why: flaw }
}

/** The page as it is now, unless so much went that rows may have passed it unseen. */
function pickLater<T extends Row>(again: CountedPage<T>, here: CountedPage<T>, number: number): CountedPage<T> {
  return findFlaw(again, number) === null && overlaps(again, here) ? again : here
}

/** A page that does not have the rows that its own count asks for. */
function findFlaw({ count, rows }: CountedPage<Row>, number: number): string | null {
  const due = Math.min(PER_PAGE, Math.max(0, count - (number - 1) * PER_PAGE))
  return rows.length === due ? null : `${rows.length} rows of ${due} came on page ${number}`
}

/** Whether a row may have slipped past `next`, which was read after `before` and before `again`. */
function findGap(before: CountedPage<Row>, next: CountedPage<Row>, again: CountedPage<Row>): string | null {
  if (before.rows.at(-1)?.id !== again.rows.at(-1)?.id) return 'rows moved between pages'
  if (overlaps(next, again)) return 'a row came twice'
  const counts = [before.count, again.count]
  const isBetween = next.count >= Math.min(...counts) && next.count <= Math.max(...counts)
  return isBetween ? null : `the count went from ${before.count} to ${next.count} between pages`
}

function overlaps(a: CountedPage<Row>, b: CountedPage<Row>): boolean {
  const ids = new Set(a.rows.map(({ id }) => id))
  return b.rows.some(({ id }) => ids.has(id))
}

function isLast({ count }: CountedPage<Row>, number: number): boolean {
  return count <= number * PER_PAGE
}
