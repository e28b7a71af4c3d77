import { describe, expect, it } from 'vitest'
import { blind, seen } from '#/core/basics/observed.ts'
import type { Observed } from '#/core/basics/observed.ts'
import { createMetrics } from '#/runtime/metrics/metrics.ts'
import { createApp } from '#/server/app.ts'
import { askChecked } from '#test/server/checked-api.ts'
import { openGuards } from '#test/server/open-guards.ts'
import { processesApi } from './processes.ts'

async function ask(query: string, answer: Observed<string> = seen('1 0 5 run.sh\n')) {
  const asked: unknown[] = []
  const agents = {
    processes: async (node: string, container: object) => {
      asked.push([node, container])
      return answer
    },
  }
  const routes = [{ path: '/v1/processes', handler: processesApi({ guards: openGuards, agents }) }]
  const app = createApp({ version: '1', metrics: createMetrics(), readiness: [], log: { error: () => {} }, routes })
  const reply = await askChecked(app, `/v1/processes${query}`)
  return { status: reply.status, document: await reply.json(), asked }
}

describe('the processes of a runner, by the API', () => {
  it('are those of the container that was asked for', async () => {
    expect(await ask('?node=n1&uid=u1&container=runner')).toEqual({
      status: 200,
      document: { schemaVersion: 1, processes: '1 0 5 run.sh\n', blind: null },
      asked: [['n1', { uid: 'u1', container: 'runner' }]],
    })
  })

  it('are null with the reason where the agent is blind', async () => {
    const { document } = await ask('?node=n1&uid=u1&container=runner', blind('unsupported', 'too old'))
    expect(document).toEqual({ schemaVersion: 1, processes: null, blind: { code: 'unsupported', detail: 'too old' } })
  })

  it.each(['', '?node=n1&uid=u1', '?node=n1&uid=u1&container=runner&all=true'])('are refused for %j', async (query) => {
    expect(await ask(query)).toMatchObject({ status: 400, asked: [] })
  })
})
