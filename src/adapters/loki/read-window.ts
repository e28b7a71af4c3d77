import type { Clock } from '#/ports/clock.ts'
import type { HttpMeans } from '#/adapters/http/exchange.ts'
import { blind } from '#/core/basics/observed.ts'
import type { Blind, BlindReason } from '#/core/basics/observed.ts'
import type { StoreWindow } from '#/ports/log-store.ts'
import { queryRange } from './query-range.ts'
import type { LokiAddress, LokiLine, Page } from './query-range.ts'

export type WindowLimits = {
  /** Lines of one answer; Loki may allow fewer. */
  readonly pageLines: number
  readonly mostLines: number
  /** Of all answers. */
  readonly mostBytes: number
  readonly mostMs: number
}

export const WINDOW_LIMITS: WindowLimits = {
  pageLines: 2_000,
  mostLines: 50_000,
  mostBytes: 16 * 1024 * 1024,
  mostMs: 60_000,
}

export type WindowReading = {
  /** Oldest first. */
  readonly lines: readonly LokiLine[]
  readonly from: number
  readonly cut: BlindReason | null
}

export type LokiMeans = {
  readonly http: HttpMeans
  readonly clock: Clock
  readonly address: LokiAddress
  readonly limits: WindowLimits
}

const NS_PER_MS = 1_000_000n

/**
 * All lines of a window, page by page from its end: what happened last matters most, so a limit cuts off the beginning.
 * A page ends in the middle of one nanosecond: the next one begins there again, without the lines that came.
 */
export async function readWindow(
  means: LokiMeans,
  query: string,
  window: StoreWindow,
  signal: AbortSignal,
): Promise<WindowReading | Blind> {
  const start = BigInt(Math.floor(window.from)) * NS_PER_MS
  const begun = means.clock.now()
  const state: State = { lines: [], known: new Set(), bytes: 0, limit: means.limits.pageLines }
  let end = BigInt(Math.ceil(window.to)) * NS_PER_MS
  for (;;) {
    const page = await queryRange(means.http, means.address, { query, start, end, limit: state.limit }, signal)
    const fewer = fewerLines(page, state.limit)
    if (fewer !== null) {
      state.limit = fewer
      continue
    }
    if (page.kind === 'too-many') return blind('refused-by-limits', 'Loki refuses every number of lines')
    if (page.kind === 'blind') return state.lines.length === 0 ? page : finish(state, end, page.reason)
    const added = take(state, page)
    if (page.lines.length < state.limit) return finish(state, start, null)
    const oldest = page.lines.reduce((least, { ns }) => (ns < least ? ns : least), end)
    const cut = reached(state, means, { begun, isStuck: added === 0 })
    if (cut !== null) return finish(state, oldest, cut)
    end = oldest + 1n
  }
}

const LEAST_LINES = 50

/** This Loki gives fewer lines at once, or they are so long that an answer is too large; null where fewer do not help. */
function fewerLines(page: Page, limit: number): number | null {
  if (page.kind === 'too-many') return page.limit < limit ? page.limit : null
  const isLarge = page.kind === 'blind' && page.reason.code === 'too-large'
  return isLarge && limit > LEAST_LINES ? Math.max(LEAST_LINES, Math.floor(limit / 4)) : null
}

type State = {
  lines: LokiLine[]
  /** Lines of the oldest nanosecond that was read, to leave them out when it is read again. */
  known: Set<string>
  bytes: number
  limit: number
}

function take(state: State, { lines, bytes }: Extract<Page, { kind: 'page' }>): number {
  const fresh = lines.filter((one) => !state.known.has(toKey(one)))
  for (const one of fresh) state.lines.push(one)
  const oldest = lines.reduce<bigint | null>((least, { ns }) => (least === null || ns < least ? ns : least), null)
  state.known = new Set(state.lines.filter(({ ns }) => ns === oldest).map(toKey))
  state.bytes += bytes
  return fresh.length
}

function toKey({ ns, line, labels }: LokiLine): string {
  return `${ns} ${JSON.stringify(labels)} ${line}`
}

function reached(
  { lines, bytes, limit }: State,
  { limits, clock }: LokiMeans,
  { begun, isStuck }: { readonly begun: number; readonly isStuck: boolean },
): BlindReason | null {
  if (isStuck) return blind('truncated', `more than ${limit} lines have the same time`).reason
  if (lines.length >= limits.mostLines) return blind('truncated', `more than ${limits.mostLines} lines`).reason
  if (bytes >= limits.mostBytes) return blind('truncated', `more than ${limits.mostBytes} bytes`).reason
  if (clock.now() - begun >= limits.mostMs) return blind('truncated', `not read within ${limits.mostMs} ms`).reason
  return null
}

function finish({ lines }: State, from: bigint, cut: BlindReason | null): WindowReading {
  const sorted = lines.toSorted((a, b) => (a.ns < b.ns ? -1 : a.ns > b.ns ? 1 : 0))
  // Of the oldest moment only a part may have come.
  return { lines: sorted, from: Number(from / NS_PER_MS) + (cut === null ? 0 : 1), cut }
}
