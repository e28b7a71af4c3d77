import { z } from 'zod'
import type { Blind, Seen } from '#/core/basics/observed.ts'
import type { Ask } from '#/adapters/github/http/ask.ts'
import type { Client } from '#/adapters/github/http/client.ts'
import { asBlind } from './observe.ts'
import { shape } from '#/adapters/github/http/shape.ts'

export const PER_PAGE = 100
export const MOST_PAGES = 200

export type Row = { readonly id: number }
export type CountedList<T> = { readonly ask: Ask; readonly rows: string; readonly schema: z.ZodType<T> }
/** `count`: how many rows the whole list had when this page was made. */
export type CountedPage<T> = { readonly count: number; readonly rows: readonly T[] }
/** Rows came or went while we read, so that one may be missing. */
export type Drifted = { readonly kind: 'drifted'; readonly why: string }

export async function readCountedPage<T>(
  client: Client,
  list: CountedList<T>,
  page: number,
): Promise<Seen<CountedPage<T>> | Blind> {
  const { ask } = list
  const answer = await client.ask({ ...ask, query: { ...ask.query, per_page: PER_PAGE, page } })
  return answer.kind === 'ok' ? shape(answer.json, countedPage(list), client.scrub) : asBlind(answer)
}

function countedPage<T>({ rows: key, schema }: CountedList<T>): z.ZodType<CountedPage<T>> {
  return z
    .looseObject({ total_count: z.unknown() })
    .transform((page) => ({ count: page.total_count, rows: page[key] }))
    .pipe(z.object({ count: z.int().nonnegative(), rows: z.array(schema) }))
}
