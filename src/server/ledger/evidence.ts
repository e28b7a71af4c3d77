import { Hono } from 'hono'
import type { MiddlewareHandler } from 'hono'
import type { z } from 'zod'
import { parseMeta } from '#/core/evidence/bundle-meta.ts'
import { bundlePath, refusePath } from '#/core/evidence/bundle-path.ts'
import type { Kept, ToKeep } from '#/runtime/ledger/keep-before-act.ts'
import type { Guards } from '#/server/access/auth.ts'
import { evidenceBody } from '#/server/ledger-bodies.ts'
import { SCHEMA_VERSION } from '#/server/openapi-schemas.ts'
import { onlyAllows, sendProblem } from '#/server/request/problem.ts'
import type { Problem } from '#/server/request/problem.ts'
import { malformed, readJson } from '#/server/request/read-json.ts'

export type EvidenceOptions = {
  readonly guards: Guards
  readonly keep: (attempt: number, given: ToKeep) => Promise<Kept>
  readonly admit: MiddlewareHandler
}

const LIMITS = { mostBytes: 8 * 1024 * 1024, mostTokens: 2000, deepest: 4 }
/** `/v1/evidence/ATTEMPT`: what an attempt is about to remove. */
export function evidenceApi({ guards, keep, admit }: EvidenceOptions): Hono {
  const api = new Hono()
  api.post('/:attempt{[0-9]{1,15}}', guards.operate, admit, async (c) => {
    const body = await readJson(c, evidenceBody, LIMITS)
    if (body.kind === 'wrong') return sendProblem(c, body.problem)
    const given = toKeep(body.value)
    if ('status' in given) return sendProblem(c, given)
    const kept = await keep(Number(c.req.param('attempt')), given)
    if (kept.kind === 'incomplete') return sendProblem(c, incomplete(kept.why))
    if (kept.kind !== 'stored') return sendProblem(c, kept.kind === 'unknown' ? UNKNOWN : ENDED)
    return c.json({ schemaVersion: SCHEMA_VERSION, evidence: kept.uid })
  })
  api.all('/:attempt{[0-9]{1,15}}', guards.operate, (c) => onlyAllows(c, ['POST']))
  return api
}

function toKeep({ meta: text, files }: z.output<typeof evidenceBody>): ToKeep | Problem {
  const reading = parseMeta(text)
  if (reading.kind === 'unreadable') return malformed(`meta ${reading.why}`)
  for (const { path } of files) {
    const refused = path === bundlePath.meta ? 'the path of meta.json' : refusePath(path)
    if (refused !== null) return malformed(`a file has ${refused}`)
  }
  return { meta: reading.meta, files: new Map(files.map(({ path, content }) => [path, content])) }
}

const UNKNOWN: Problem = {
  status: 404,
  detail: 'no attempt with this id',
  advice: ['begin it: POST /v1/ledger/attempts'],
}
const ENDED: Problem = { status: 409, detail: 'the attempt has ended', advice: ['see: signalbox ledger'] }

function incomplete(why: string): Problem {
  return {
    status: 422,
    detail: `what is about to go cannot be kept, so nothing is stored: ${why}`,
    advice: ['nothing may be removed without its evidence'],
  }
}
