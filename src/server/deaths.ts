import { Hono } from 'hono'
import type { Context } from 'hono'
import type { z } from 'zod'
import { toDeath } from '#/core/recorder/death.ts'
import type { DeathFilter, Deaths } from '#/ports/store/deaths.ts'
import type { EvidencePart } from '#/ports/store/evidence.ts'
import { standingParts } from '#/runtime/recorder/evidence-parts.ts'
import type { RejudgePage } from '#/runtime/recorder/rejudge.ts'
import { deathsQuery, toFilter, rejudgeQuery, SCHEMA_VERSION } from './openapi-schemas.ts'
import { onlyAllows, sendProblem } from './problem.ts'
import type { Problem } from './problem.ts'

export type DeathsOptions = {
  readonly deaths: Pick<Deaths, 'get' | 'list'>
  /** The evidence as a .tar.gz bundle; a text says why there is none. */
  readonly pack: (evidence: readonly EvidencePart[]) => Promise<Uint8Array | string>
  readonly rejudge: (filter: DeathFilter, apply: boolean) => Promise<RejudgePage>
}

/** `/v1/deaths` and everything below it. Access is checked before. */
export function deathsApi({ deaths, pack, rejudge }: DeathsOptions): Hono {
  const api = new Hono()
  api.get('/', async (c) => {
    const query = readQuery(c, deathsQuery)
    if ('status' in query) return sendProblem(c, query)
    const filter = toFilter(query)
    const rows = await deaths.list(filter)
    const last = rows.at(-1)
    const next = last === undefined || rows.length < filter.limit ? null : printCursor(last)
    return c.json({ schemaVersion: SCHEMA_VERSION, deaths: rows.map(toDeath), next })
  })
  api.post('/rejudge', async (c) => {
    const query = readQuery(c, rejudgeQuery)
    if ('status' in query) return sendProblem(c, query)
    const { apply, ...asked } = query
    const { next, ...page } = await rejudge(toFilter(asked), apply === 'true')
    return c.json({ schemaVersion: SCHEMA_VERSION, ...page, next: next === null ? null : printCursor(next) })
  })
  api.all('/rejudge', (c) => onlyAllows(c, ['POST']))
  api.get('/:uid', async (c) => {
    const stored = await deaths.get(c.req.param('uid'))
    if (stored === null) return sendProblem(c, UNKNOWN)
    const evidence = standingParts(stored.evidence).map(({ source, observed, reason, content }) => {
      return { source, observed, reason, bytes: content?.length ?? 0 }
    })
    return c.json({ schemaVersion: SCHEMA_VERSION, death: toDeath(stored.death), evidence })
  })
  api.get('/:uid/evidence', async (c) => {
    const stored = await deaths.get(c.req.param('uid'))
    if (stored === null) return sendProblem(c, UNKNOWN)
    const packed = await pack(stored.evidence)
    if (typeof packed === 'string') return sendProblem(c, { status: 409, detail: packed })
    const name = `${stored.death.pod.replaceAll(/[^\w.-]/g, '_')}.tar.gz`
    const headers = { 'content-type': 'application/gzip', 'content-disposition': `attachment; filename="${name}"` }
    return c.body(Buffer.from(packed), 200, headers)
  })
  for (const path of ['/', '/:uid', '/:uid/evidence']) api.all(path, (c) => onlyAllows(c, ['GET', 'HEAD']))
  return api
}

const UNKNOWN: Problem = {
  status: 404,
  detail: 'no death with this UID',
  advice: ['search by pod name: /v1/deaths?name=NAME'],
}

/** Refuses unknown parameters: a filter that is silently ignored gives wrong answers. */
function readQuery<S extends z.ZodObject>(c: Context, schema: S): z.output<S> | Problem {
  const given = c.req.queries()
  const repeated = Object.keys(given).find((key) => (given[key]?.length ?? 0) > 1)
  if (repeated !== undefined) return unreadable(`parameter ${repeated} is repeated`, schema)
  const read = schema.safeParse(c.req.query())
  if (read.success) return read.data
  const [issue] = read.error.issues
  if (issue?.code === 'unrecognized_keys') return unreadable(`unknown parameter ${issue.keys.join(', ')}`, schema)
  return unreadable(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`, schema)
}

function unreadable(detail: string, { shape }: z.ZodObject): Problem {
  const advice = [`known parameters: ${Object.keys(shape).join(', ')}`, 'see /v1/openapi.json']
  return { status: 400, detail, advice }
}

function printCursor({ diedAt, uid }: NonNullable<DeathFilter['after']>): string {
  return `${diedAt}_${uid}`
}
