import { Hono } from 'hono'
import type { MiddlewareHandler } from 'hono'
import { toDeath } from '#/core/recorder/death.ts'
import type { AwaitedForDeath, Death } from '#/core/recorder/death.ts'
import { textAt } from '#/core/basics/fields.ts'
import type { DeathFilter, DeathRecord, Deaths, Verdict } from '#/ports/store/deaths.ts'
import type { LivePods } from '#/ports/store/live-pods.ts'
import type { EvidencePart } from '#/ports/store/evidence.ts'
import { standingParts } from '#/runtime/recorder/evidence-parts.ts'
import type { RejudgeOrder, RejudgePage } from '#/runtime/recorder/rejudge.ts'
import { callerOf } from '#/server/access/caller.ts'
import type { Guards } from '#/server/access/auth.ts'
import { deathsQuery, toFilter, rejudgeQuery, SCHEMA_VERSION } from './openapi-schemas.ts'
import { onlyAllows, sendProblem } from '#/server/request/problem.ts'
import type { Problem } from '#/server/request/problem.ts'
import { readQuery } from '#/server/request/read-query.ts'

export type DeathsOptions = {
  readonly guards: Guards
  readonly deaths: Pick<Deaths, 'get' | 'list' | 'history'>
  readonly livePods: Pick<LivePods, 'named'>
  /** The evidence as a .tar.gz bundle; a text says why there is none. */
  readonly pack: (evidence: readonly EvidencePart[]) => Promise<Uint8Array | string>
  readonly rejudge: (order: Omit<RejudgeOrder, 'now'> & { readonly actor: string }) => Promise<RejudgePage>
  /** What a death that is not judged yet waits for; null where this process does not judge it. */
  readonly awaited?: (uid: string) => AwaitedForDeath | null
  /** Gives each request its turn. */
  readonly admit: MiddlewareHandler
  /** At the same time, of all callers. */
  readonly mostRejudges: number
}

const MOST_LIVE = 10

/** `/v1/deaths` and everything below it. */
export function deathsApi(options: DeathsOptions): Hono {
  const { guards, deaths, livePods, pack, rejudge, admit, mostRejudges, awaited = () => null } = options
  const show = (row: DeathRecord): Death => toDeath(row, row.verdict === null ? awaited(row.uid) : null)
  const api = new Hono()
  let rejudging = 0
  // Admitted after the guards: a caller without access takes nobody's turn.
  api.get('/', guards.read, admit, async (c) => {
    const query = readQuery(c, deathsQuery)
    if ('status' in query) return sendProblem(c, query)
    const filter = toFilter(query)
    const rows = await deaths.list(filter)
    const last = rows.at(-1)
    const next = last === undefined || rows.length < filter.limit ? null : printCursor(last)
    // ARC recreates a pod under the name of the one that died.
    const live = filter.name === undefined ? [] : await livePods.named(filter.name, MOST_LIVE)
    return c.json({ schemaVersion: SCHEMA_VERSION, deaths: rows.map(show), live, next })
  })
  api.post('/rejudge', guards.operate, admit, async (c) => {
    const query = readQuery(c, rejudgeQuery)
    if ('status' in query) return sendProblem(c, query)
    if (rejudging >= mostRejudges) return sendProblem(c, REJUDGING)
    rejudging += 1
    try {
      const { apply, ...asked } = query
      const order = {
        filter: toFilter(asked),
        apply: apply === 'true',
        actor: callerOf(c).actor,
        signal: c.req.raw.signal,
      }
      const { next, ...page } = await rejudge(order)
      return c.json({ schemaVersion: SCHEMA_VERSION, ...page, next: next === null ? null : printCursor(next) })
    } finally {
      rejudging -= 1
    }
  })
  api.all('/rejudge', guards.read, (c) => onlyAllows(c, ['POST']))
  api.get('/:uid', guards.read, admit, async (c) => {
    const stored = await deaths.get(c.req.param('uid'))
    if (stored === null) return sendProblem(c, UNKNOWN)
    const evidence = standingParts(stored.evidence).map(({ source, observed, reason, content }) => {
      return { source, observed, reason, bytes: content?.length ?? 0 }
    })
    const history = (await deaths.history(stored.death.uid)).map(toFormerVerdict)
    return c.json({ schemaVersion: SCHEMA_VERSION, death: show(stored.death), evidence, history })
  })
  api.get('/:uid/evidence', guards.read, admit, async (c) => {
    const stored = await deaths.get(c.req.param('uid'))
    if (stored === null) return sendProblem(c, UNKNOWN)
    const packed = await pack(stored.evidence)
    if (typeof packed === 'string') return sendProblem(c, { status: 409, detail: packed })
    const name = `${stored.death.pod.replaceAll(/[^\w.-]/g, '_')}.tar.gz`
    const headers = { 'content-type': 'application/gzip', 'content-disposition': `attachment; filename="${name}"` }
    return c.body(Buffer.from(packed), 200, headers)
  })
  for (const path of ['/', '/:uid', '/:uid/evidence']) api.all(path, guards.read, (c) => onlyAllows(c, ['GET', 'HEAD']))
  return api
}

const REJUDGING: Problem = {
  status: 429,
  detail: 'other requests are judging stored deaths again',
  advice: ['retry when they are done'],
  headers: { 'retry-after': '5' },
}

function toFormerVerdict({ cause, kind, confidence, rules, judgedAt, document }: Verdict) {
  return { cause, kind, confidence, rules, judgedAt, sentence: textAt(document, 'sentence') ?? '' }
}

const UNKNOWN: Problem = {
  status: 404,
  detail: 'no death with this UID',
  advice: ['search by pod name: /v1/deaths?name=NAME'],
}

function printCursor({ diedAt, uid }: NonNullable<DeathFilter['after']>): string {
  return `${diedAt}_${uid}`
}
