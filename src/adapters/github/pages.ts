import { z } from 'zod'
import type { Blind, Observed, Seen } from '#/core/basics/observed.ts'
import { blind, seen, seenList } from '#/core/basics/observed.ts'
import type { Ask } from '#/adapters/github/http/ask.ts'
import type { Client } from '#/adapters/github/http/client.ts'
import type { CountedList, CountedPage, Drifted, Row } from './counted-page.ts'
import { MOST_PAGES, PER_PAGE, readCountedPage } from './counted-page.ts'
import { asBlind } from './observe.ts'
import { shape } from '#/adapters/github/http/shape.ts'
import { walkPages } from './walk-pages.ts'

/**
 * Every row of a list that says how many there are. Rows come and go while we read: a count that changes between pages
 * or differs from the rows, a row that comes twice, or a page that has other rows when we look again, means that a row
 * may be missing. Then page by page, and if that does not help, the list is blind.
 */
export async function readCounted<T extends Row>(
  client: Client,
  list: CountedList<T>,
): Promise<Observed<readonly T[]>> {
  const whole = await readOnce(client, list)
  if (whole.kind !== 'drifted') return whole
  const walked = await walkPages(client, list)
  return walked.kind === 'drifted' ? truncated(list.ask, `${walked.why}, again and again`) : walked
}

async function readOnce<T extends Row>(
  client: Client,
  list: CountedList<T>,
): Promise<Observed<readonly T[]> | Drifted> {
  const first = await readCountedPage(client, list, 1)
  if (first.kind === 'blind') return first
  const { count } = first.value
  const last = Math.ceil(count / PER_PAGE)
  if (last > MOST_PAGES) return blind('too-large', `${list.ask.path.join('/')}: ${count} rows are too many to read`)
  const others = await readPages(client, list, 2, last)
  if (others.kind === 'blind') return others
  const pages = [first.value, ...others.value]
  const flaw = findFlaw(pages, count)
  if (flaw !== null) return { kind: 'drifted', why: flaw }
  // A row that goes while another comes keeps the count and moves a third one to a page that was read before.
  const again = await readPages(client, list, 1, last - 1)
  if (again.kind === 'blind') return again
  const moved = again.value.some((page, index) => !sameRows(page, pages[index]))
  return moved ? { kind: 'drifted', why: 'rows moved between pages' } : seenList(pages.flatMap(({ rows }) => rows))
}

function findFlaw(pages: readonly CountedPage<Row>[], count: number): string | null {
  const changed = pages.find((page) => page.count !== count)
  if (changed !== undefined) return `the count went from ${count} to ${changed.count} between pages`
  const ids = pages.flatMap(({ rows }) => rows.map(({ id }) => id))
  if (new Set(ids).size < ids.length) return 'a row came twice'
  return ids.length === count ? null : `${ids.length} rows of ${count} came`
}

function sameRows(page: CountedPage<Row>, before: CountedPage<Row> | undefined): boolean {
  return page.rows.length === before?.rows.length && page.rows.every(({ id }, index) => id === before.rows[index]?.id)
}

async function readPages<T>(
  client: Client,
  list: CountedList<T>,
  from: number,
  to: number,
): Promise<Seen<readonly CountedPage<T>[]> | Blind> {
  const numbers = Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index)
  const pages: CountedPage<T>[] = []
  for (const page of await Promise.all(numbers.map((number) => readCountedPage(client, list, number)))) {
    if (page.kind === 'blind') return page
    pages.push(page.value)
  }
  return seen(pages)
}

/**
 * Every row of a list that only links to its next page, until `enough` says of a row that the rest is not wanted.
 * A next page that is announced and has no rows was missing rows.
 */
export async function readLinked<T>(
  client: Client,
  list: { readonly ask: Ask; readonly schema: z.ZodType<T>; readonly enough?: (row: T) => boolean },
): Promise<Observed<readonly T[]>> {
  const { ask, schema, enough = () => false } = list
  const found: T[] = []
  const asked = new Set<string>()
  let query: Ask['query'] = { ...ask.query, per_page: PER_PAGE }
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const answer = await client.ask({ ...ask, query })
    if (answer.kind !== 'ok') return asBlind(answer)
    const parsed = shape(answer.json, z.array(schema), client.scrub)
    if (parsed.kind === 'blind') return parsed
    if (page > 1 && parsed.value.length === 0) return truncated(ask, 'a page that was announced is empty')
    for (const row of parsed.value) {
      if (enough(row)) return seenList(found)
      found.push(row)
    }
    const next = nextQuery(answer.link)
    if (next === null) return seenList(found)
    const mark = JSON.stringify(next)
    if (asked.has(mark)) return truncated(ask, 'the pages go round in a circle')
    asked.add(mark)
    query = next
  }
  return blind('too-large', `${ask.path.join('/')}: more than ${MOST_PAGES} pages`)
}

function truncated(ask: Ask, why: string): Blind {
  return blind('truncated', `${ask.path.join('/')}: ${why}`)
}

/** Only the query of the link is used, so that an answer cannot send us and our token elsewhere. */
function nextQuery(link: string | null): Record<string, string> | null {
  const target = /<([^<>]+)>;\s*rel="next"/u.exec(link ?? '')?.[1]
  const url = target === undefined ? null : URL.parse(target)
  return url === null ? null : Object.fromEntries(url.searchParams)
}
