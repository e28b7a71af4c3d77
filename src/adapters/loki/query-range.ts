import { codeOfStatus } from '#/adapters/http/code-of-status.ts'
import { describeRequest, exchange } from '#/adapters/http/exchange.ts'
import type { HttpAnswer, HttpMeans, HttpRequest } from '#/adapters/http/exchange.ts'
import { isWithinJsonBounds } from '#/core/basics/json-bounds.ts'
import { parseJson } from '#/core/evidence/bundle-json.ts'
import { at, listAt, textAt, toFields } from '#/core/basics/fields.ts'
import { blind } from '#/core/basics/observed.ts'
import type { Blind } from '#/core/basics/observed.ts'

/** One line as Loki has it: its time in nanoseconds, and the labels of its stream. */
export type LokiLine = {
  readonly ns: bigint
  readonly line: string
  readonly labels: Readonly<Record<string, string>>
}

export type LokiAddress = { readonly url: string; readonly headers: Readonly<Record<string, string>> }

export type PageOrder = {
  readonly query: string
  /** Inclusive. */
  readonly start: bigint
  /** Exclusive. */
  readonly end: bigint
  readonly limit: number
}

/** `too-many`: this Loki gives fewer lines at once. */
export type Page =
  | { readonly kind: 'page'; readonly lines: readonly LokiLine[]; readonly bytes: number }
  | { readonly kind: 'too-many'; readonly limit: number }
  | Blind

const PAGE_LIMITS = { timeoutMs: 30_000, maxBytes: 8 * 1024 * 1024 }
/** Two thousand lines with their labels and statistics are some ten thousand. */
const JSON_BOUNDS = { mostTokens: 400_000, deepest: 32 }

/** `GET /loki/api/v1/query_range`, the newest lines of the range first. */
export async function queryRange(
  http: HttpMeans,
  { url: base, headers }: LokiAddress,
  { query, start, end, limit }: PageOrder,
  signal: AbortSignal,
): Promise<Page> {
  const url = new URL(`${base}/loki/api/v1/query_range`)
  const asked = { query, start: String(start), end: String(end), limit: String(limit), direction: 'backward' }
  for (const [name, value] of Object.entries(asked)) url.searchParams.set(name, value)
  const request: HttpRequest = { method: 'GET', url, headers: { accept: 'application/json', ...headers } }
  const answer = await exchange(http, request, PAGE_LIMITS, signal)
  if (answer.kind === 'blind') return { kind: 'blind', reason: answer.reason }
  if (answer.status !== 200) return readRefusal(answer, request)
  return readPage(answer.body, describeRequest(request))
}

const LONGEST = 200
/** `max entries limit per query exceeded, limit > max_entries_limit_per_query (5000 > 1000)` */
const ENTRIES_LIMIT = /max_entries_limit_per_query \(\d+ > (?<most>\d{1,7})\)/

function readRefusal({ status, body }: HttpAnswer, request: HttpRequest): Page {
  const said = body.toString('utf8').trim()
  const most = Number(ENTRIES_LIMIT.exec(said)?.groups?.['most'] ?? 0)
  if (status === 400 && most > 0) return { kind: 'too-many', limit: most }
  const why = /^[\x20-\x7e\s]{1,2000}$/.test(said) ? `: ${said.replaceAll(/\s+/g, ' ').slice(0, LONGEST)}` : ''
  return blind(codeOfStatus(status), `${describeRequest(request)}: Loki answered ${status}${why}`)
}

function readPage(body: Buffer, what: string): Page {
  if (!isWithinJsonBounds(body, JSON_BOUNDS)) return blind('too-large', `${what}: the answer has too many values`)
  const reading = parseJson(body.toString('utf8'))
  if (reading.kind === 'malformed') return blind('malformed', `${what}: ${reading.why}`)
  const data = at(reading.value, 'data')
  if (textAt(data, 'resultType') !== 'streams') {
    return blind('malformed', `${what}: the answer holds no streams: is the selector a metric query?`)
  }
  const lines = listAt(data, 'result').flatMap(readStream)
  return { kind: 'page', lines, bytes: body.length }
}

function readStream(stream: unknown): readonly LokiLine[] {
  const labels = readLabels(at(stream, 'stream'))
  return listAt(stream, 'values').flatMap((entry): readonly LokiLine[] => {
    const [ns, line, metadata] = Array.isArray(entry) ? (entry as readonly unknown[]) : []
    if (typeof ns !== 'string' || !/^\d{1,20}$/.test(ns) || typeof line !== 'string') return []
    const own = metadata === undefined ? labels : { ...labels, ...readLabels(metadata) }
    return [{ ns: BigInt(ns), line, labels: own }]
  })
}

function readLabels(value: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(toFields(value)).filter((entry) => typeof entry[1] === 'string'),
  ) as Readonly<Record<string, string>>
}
