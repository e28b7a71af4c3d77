import { describe, expect, it } from 'vitest'
import type { FetchHandler } from '#/sim/github/fetch-handler.ts'
import { checkedAgainstOpenApi } from '#test/github/checked-against-openapi.ts'
import { createCheckedSim } from '#test/github/checked-sim.ts'
import { webhookProblems } from '#test/github/webhook-schemas.ts'

const RUNNERS = '/orgs/acme/actions/runners'
const RUNNER = { id: 1, name: 'r1', os: 'linux', status: 'online', busy: false, labels: [] }

describe('the check against GitHub’s description', () => {
  it.each([
    ['a body without a required property', RUNNERS, 200, { total_count: 1, runners: [{ ...RUNNER, busy: undefined }] }],
    ['a property of the wrong type', RUNNERS, 200, { total_count: '1', runners: [] }],
    ['null where null is not allowed', RUNNERS, 200, { total_count: 1, runners: [{ ...RUNNER, os: null }] }],
    ['a status that is not described', RUNNERS, 202, { total_count: 0, runners: [] }],
    ['a path that is not described', '/orgs/acme/actions/locomotives', 200, {}],
    ['an error that is no error', RUNNERS, 403, { message: 403 }],
  ])('throws on %s', async (_, path, status, body) => {
    await expect(asked(answering(status, JSON.stringify(body)), path)).rejects.toMatchObject({ code: 'UNDOCUMENTED' })
  })

  it('throws on a page that is not JSON', async () => {
    await expect(asked(answering(200, '<html>'), RUNNERS)).rejects.toMatchObject({ code: 'UNDOCUMENTED' })
  })

  it('throws on a body where none is described', async () => {
    const redirect = answering(302, 'elsewhere')
    await expect(asked(redirect, '/repos/acme/api/actions/jobs/1/logs')).rejects.toMatchObject({ code: 'UNDOCUMENTED' })
  })

  it.each([
    ['a good body', RUNNERS, 200, { total_count: 1, runners: [{ ...RUNNER, version: null }] }],
    ['an error that may come from everywhere', RUNNERS, 429, { message: 'slow down' }],
    ['a path that does not exist, if the answer is 404', '/orgs/acme/locomotives', 404, { message: 'Not Found' }],
  ])('lets through %s', async (_, path, status, body) => {
    const response = await asked(answering(status, JSON.stringify(body)), path)
    expect(await response.json()).toEqual(body)
  })

  it('fails the call when the simulation answers differently from GitHub', async () => {
    const { sim, call } = createCheckedSim({
      inspect: (honest) =>
        checkedAgainstOpenApi(async (request) => {
          const response = await honest(request)
          return answering(response.status, (await response.text()).replace('total_count', 'total'))(request)
        }),
    })
    const broken = call('GET', RUNNERS, { token: sim.installationToken('acme') })
    await expect(broken).rejects.toThrow(/GET \/orgs\/\{org\}\/actions\/runners 200 does not fit.*total_count/)
  })
})

describe('the check of webhooks', () => {
  it('rejects an unknown event and a body that does not match its schema', () => {
    expect(webhookProblems('workflow_job', { action: 'exploded' })).toEqual(['no schema for workflow_job exploded'])
    expect(webhookProblems('workflow_job', { action: 'queued' })).not.toEqual([])
  })
})

function answering(status: number, body: string): FetchHandler {
  return async () => new Response(body, { status, headers: { 'content-type': 'application/json' } })
}

function asked(handler: FetchHandler, path: string): Promise<Response> {
  return checkedAgainstOpenApi(handler)(new Request(`https://api.github.test${path}`))
}
