import { Hono } from 'hono'
import type { Observed } from '#/core/basics/observed.ts'
import type { Guards } from '#/server/access/auth.ts'
import { SCHEMA_VERSION } from './openapi-schemas.ts'
import { onlyAllows, sendProblem } from '#/server/request/problem.ts'
import { processesQuery } from './processes-schemas.ts'
import { readQuery } from '#/server/request/read-query.ts'

export type ProcessesOptions = {
  readonly guards: Guards
  readonly agents: {
    readonly processes: (
      node: string,
      asked: { readonly uid: string; readonly container: string },
      signal: AbortSignal,
    ) => Promise<Observed<string>>
  }
}

/** `/v1/processes`: what runs in the container of a watched runner, as the agent of its node reads it now. */
export function processesApi({ guards, agents }: ProcessesOptions): Hono {
  const api = new Hono()
  api.get('/', guards.read, async (c) => {
    const query = readQuery(c, processesQuery)
    if ('status' in query) return sendProblem(c, query)
    const { node, uid, container } = query
    const read = await agents.processes(node, { uid, container }, c.req.raw.signal)
    const blind = read.kind === 'blind' ? read.reason : null
    return c.json({ schemaVersion: SCHEMA_VERSION, processes: read.kind === 'seen' ? read.value : null, blind })
  })
  api.all('/', guards.read, (c) => onlyAllows(c, ['GET', 'HEAD']))
  return api
}
