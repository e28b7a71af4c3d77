import { codeOfStatus } from '#/adapters/http/code-of-status.ts'
import { describeRequest, exchange } from '#/adapters/http/exchange.ts'
import type { HttpAnswer, HttpMeans, HttpRequest } from '#/adapters/http/exchange.ts'
import { isJsonObject, parseJson } from '#/core/evidence/bundle-json.ts'
import { numberAt } from '#/core/basics/fields.ts'
import { blind, none, seen, seenList } from '#/core/basics/observed.ts'
import type { Blind, Observed } from '#/core/basics/observed.ts'
import type { Secret } from '#/core/basics/secret.ts'
import type { JsonObject } from '#/ports/bundle.ts'
import type { GitLab } from '#/ports/gitlab.ts'

export type GitLabOptions = {
  /** Without `/api/v4`. */
  readonly baseUrl: string
  readonly token: Secret
  readonly http: HttpMeans
}

const LIMITS = { timeoutMs: 20_000, maxBytes: 8 * 1024 * 1024 }
const PAGE_ROWS = 100
/** Five thousand runners; more is no list of one fleet. */
const MOST_PAGES = 50

/** GitLab's REST API. The token is sent in a header and appears in no text. */
export function createGitLab({ baseUrl, token, http }: GitLabOptions): GitLab {
  const ask: Ask = (path, query, signal) => {
    const url = new URL(`${baseUrl}/api/v4/${path}`)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    const headers = { 'private-token': token.reveal(), accept: 'application/json', 'user-agent': 'signalbox' }
    return perform(http, { method: 'GET', url, headers }, signal)
  }
  return {
    groupRunners: async (group, signal) => {
      const place = `groups/${encodeURIComponent(group)}/runners`
      const all = await readPages(ask, `${place}/all`, signal)
      // GitLab's documentation has the list without `all`.
      return all.kind === 'missing' ? asMissing(await readPages(ask, place, signal), `group ${group}`) : all
    },
    runner: async (id, signal) => asMissing(await readObject(ask, `runners/${id}`, signal), `runner ${id}`),
    tokenOwner: async (group, signal) => {
      const user = asMissing(await readObject(ask, 'user', signal), 'user')
      if (user.kind !== 'seen') return user
      const id = numberAt(user.value, 'id')
      if (id === null) return blind('malformed', 'GET /user has no id')
      const member = await readObject(ask, `groups/${encodeURIComponent(group)}/members/all/${id}`, signal)
      return member.kind === 'missing' ? none() : member
    },
  }
}

type Missing = { readonly kind: 'missing'; readonly what: string }
type Answered = { readonly kind: 'answered'; readonly value: unknown; readonly nextPage: string | null }
type Ask = (
  path: string,
  query: Readonly<Record<string, string>>,
  signal: AbortSignal,
) => Promise<Answered | Missing | Blind>

async function perform(
  http: HttpMeans,
  request: HttpRequest,
  signal: AbortSignal,
): Promise<Answered | Missing | Blind> {
  const answer = await exchange(http, request, LIMITS, signal)
  if (answer.kind === 'blind') return { kind: 'blind', reason: answer.reason }
  const what = describeRequest(request)
  if (answer.status === 404) return { kind: 'missing', what }
  if (answer.status !== 200) return blind(codeOfStatus(answer.status), `${what}: GitLab answered ${answer.status}`)
  const reading = parseJson(answer.body.toString('utf8'))
  if (reading.kind === 'malformed') return blind('malformed', `${what}: ${reading.why}`)
  return { kind: 'answered', value: reading.value, nextPage: readNextPage(answer) }
}

function readNextPage({ headers }: HttpAnswer): string | null {
  const next = headers['x-next-page']
  return typeof next === 'string' && /^\d{1,9}$/.test(next) ? next : null
}

async function readPages(
  ask: Ask,
  path: string,
  signal: AbortSignal,
): Promise<Observed<readonly JsonObject[]> | Missing> {
  const rows: JsonObject[] = []
  let page: string | null = '1'
  for (let read = 0; page !== null; read += 1) {
    if (read === MOST_PAGES) return blind('truncated', `more than ${rows.length} runners`)
    const answer: Awaited<ReturnType<Ask>> = await ask(path, { per_page: String(PAGE_ROWS), page }, signal)
    if (answer.kind !== 'answered') return answer
    if (!Array.isArray(answer.value) || !answer.value.every(isJsonObject)) {
      return blind('malformed', `GET ${path}: it is not a list of objects`)
    }
    for (const row of answer.value) rows.push(row)
    page = answer.nextPage
  }
  return seenList(rows)
}

async function readObject(ask: Ask, path: string, signal: AbortSignal): Promise<Observed<JsonObject> | Missing> {
  const answer = await ask(path, {}, signal)
  if (answer.kind !== 'answered') return answer
  return isJsonObject(answer.value) ? seen(answer.value) : blind('malformed', `GET ${path}: it is not an object`)
}

/** GitLab also answers 404 for what the token may not see. */
function asMissing<T>(read: Observed<T> | Missing, what: string): Observed<T> {
  if (read.kind !== 'missing') return read
  return blind('forbidden', `${read.what}: 404: there is no ${what}, or the token may not see it`)
}
