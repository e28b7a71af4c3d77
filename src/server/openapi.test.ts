import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { toFields, listAt, textAt } from '#/core/basics/fields.ts'
import { createMetrics } from '#/runtime/metrics/metrics.ts'
import { createApp, guardedApi } from '#/server/app.ts'
import { openApi } from '#/server/openapi.ts'
import { ledgerQuery } from '#/server/ledger-schemas.ts'
import { deathsQuery, rejudgeQuery } from '#/server/openapi-schemas.ts'
import { checkAnswer, Undescribed } from '#test/server/checked-api.ts'
import { openGuards } from '#test/server/open-guards.ts'

const description = openApi()
const operations = Object.entries(toFields(description['paths'])).flatMap(([path, methods]) =>
  Object.entries(toFields(methods)).map(([method, operation]) => ({ path, method, operation })),
)

describe('the description of the API', () => {
  it('is published as the server answers it', async () => {
    const file = resolve(import.meta.dirname, '..', '..', 'schemas', 'openapi.json')
    await expect(`${JSON.stringify(description, null, 2)}\n`).toMatchFileSnapshot(file)
    const { Hono } = await import('hono')
    const api = { deaths: new Hono(), guards: openGuards }
    const routes = guardedApi(api)
    const app = createApp({ version: '1', metrics: createMetrics(), readiness: [], log: { error: () => {} }, routes })
    expect(await (await app.request('/v1/openapi.json')).json()).toEqual(description)
  })

  it.each([
    ['/v1/deaths', 'get', deathsQuery],
    ['/v1/deaths/rejudge', 'post', rejudgeQuery],
    ['/v1/ledger', 'get', ledgerQuery],
  ])('describes every parameter of %s that is read', (path, method, schema) => {
    const operation = operations.find((one) => one.path === path && one.method === method)?.operation
    const parameters = listAt(operation, 'parameters')
    expect(parameters.map((one) => textAt(one, 'name'))).toEqual(Object.keys(schema.shape))
    for (const one of parameters) expect(textAt(one, 'description')).toMatch(/\w{3}/)
  })

  it('names each operation once, and says of each who may ask', () => {
    const ids = operations.map(({ operation }) => textAt(operation, 'operationId'))
    expect(new Set(ids).size).toBe(ids.length)
    for (const { operation } of operations) expect(listAt(operation, 'security').length).toBeGreaterThan(0)
  })

  it('refers to nothing that it does not hold', () => {
    const references = [...JSON.stringify(description).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)]
    const held = Object.keys(toFields(toFields(description['components'])['schemas']))
    expect(references.length).toBeGreaterThan(10)
    for (const [, name] of references) expect(held).toContain(name)
  })

  it('is a check that an answer can fail', async () => {
    const json = (body: unknown, status = 200) => Response.json(body, { status })
    const wrong = [
      json({ schemaVersion: 1, deaths: [], next: 5 }),
      json({ schemaVersion: 1, deaths: [], live: [], next: null, more: 1 }),
      json({ error: 'x' }, 418),
      new Response('x'),
    ]
    for (const answer of wrong) {
      await expect(checkAnswer({ method: 'GET', path: '/v1/deaths' }, answer)).rejects.toThrow(Undescribed)
    }
    await checkAnswer(
      { method: 'GET', path: '/v1/deaths' },
      json({ schemaVersion: 1, deaths: [], live: [], next: null }),
    )
  })
})
