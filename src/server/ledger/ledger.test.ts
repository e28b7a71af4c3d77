import { describe, expect, it } from 'vitest'
import { memoryStore } from '#/adapters/memory/store.ts'
import { createMetrics } from '#/runtime/metrics/metrics.ts'
import { createApp } from '#/server/app.ts'
import { ledgerApi } from '#/server/ledger/ledger.ts'
import { begun, endAs, refusedAttempt, runnerNamed, takeStep, rowIn } from '#test/contracts/ledger-builders.ts'
import { askChecked } from '#test/server/checked-api.ts'
import { admitAll, openGuards } from '#test/server/open-guards.ts'

async function served() {
  const store = memoryStore()
  const { ledger } = store
  const given = { guards: openGuards, ledger, writes: ledger, clock: { now: () => 0 }, admit: admitAll }
  const routes = [{ path: '/v1/ledger', handler: ledgerApi(given) }]
  const app = createApp({ version: '1', metrics: createMetrics(), readiness: [], log: { error: () => {} }, routes })
  const planned = await begun(store, { at: 1000, subject: runnerNamed('a') })
  await ledger.end(rowIn(await ledger.advance(planned, takeStep('deleting', { evidence: 'death-1' }))), endAs('done'))
  await ledger.record(refusedAttempt({ at: 2000, subject: runnerNamed('b'), actor: 'anna' }))
  await begun(store, { at: 3000, act: 'return-job', subject: { kind: 'Job', namespace: null, name: 'c', uid: null } })
  const get = async (path: string, init: RequestInit = {}) => {
    const answer = await askChecked(app, path, init)
    return { status: answer.status, body: (await answer.json()) as { ledger?: { subject: { name: string } }[] } }
  }
  const names = async (query: string) =>
    (await get(`/v1/ledger${query}`)).body.ledger?.map(({ subject }) => subject.name)
  return { get, names }
}

/** Every answer below is held to the description by `askChecked`. */
describe('the API of the ledger', () => {
  it.each([
    ['', ['c', 'b', 'a']],
    ['?since=2000', ['c', 'b']],
    ['?until=2000', ['a']],
    ['?act=return-job', ['c']],
    ['?actor=anna', ['b']],
    ['?outcome=refused', ['b']],
    ['?outcome=planned', ['c']],
    ['?name=a', ['a']],
    ['?name=nobody', []],
    ['?limit=2', ['c', 'b']],
  ])('lists %s', async (query, expected) => {
    expect(await (await served()).names(query)).toEqual(expected)
  })

  it('gives a row as the contract has it: one origin, times as RFC 3339, every gate with its proof and age', async () => {
    const { body } = await (await served()).get('/v1/ledger?name=a')
    const step = { actor: 'signalbox/reap', epoch: null }
    expect(body.ledger).toEqual([
      {
        id: 1,
        at: '1970-01-01T00:00:01.000Z',
        act: 'delete-ephemeral-runner',
        subject: { kind: 'EphemeralRunner', namespace: 'runners', name: 'a', uid: 'uid-a' },
        policy: 'offline',
        actor: 'signalbox/reap',
        outcome: 'done',
        decidedBy: null,
        gates: [
          { gate: 'github-not-busy', holds: true, why: 'GitHub lists runner 4711 as offline', ageSeconds: 3 },
          { gate: 'within-cap', holds: true, why: 'there is no cap', ageSeconds: 0 },
        ],
        evidence: 'death-1',
        epoch: null,
        why: null,
        endedAt: '1970-01-01T00:00:00.030Z',
        run: 'run-1',
        scaleSet: 'runners/linux',
        places: 1,
        steps: [
          { step: 'planned', at: '1970-01-01T00:00:01.000Z', ...step },
          { step: 'deleting', at: '1970-01-01T00:00:00.020Z', ...step },
          { step: 'done', at: '1970-01-01T00:00:00.030Z', ...step },
        ],
      },
    ])
  })

  it('is read page by page', async () => {
    const { get } = await served()
    const pages: unknown[] = []
    for (let after: string | null = ''; after !== null;) {
      const { body } = await get(`/v1/ledger?limit=1${after === '' ? '' : `&after=${after}`}`)
      pages.push(...(body.ledger ?? []).map(({ subject }) => subject.name))
      after = (body as { next?: string | null }).next ?? null
    }
    expect(pages).toEqual(['c', 'b', 'a'])
  })

  it.each([
    ['?outcom=refused', 'unknown parameter outcom'],
    ['?outcome=permitted', /outcome: /],
    ['?act=delete', /act: /],
    ['?since=yesterday', /since: .*whole number/],
    ['?after=1_x', /after: is not a value of `next`/],
    ['?act=set-cap&act=delete-pod', 'parameter act is repeated'],
    ['?limit=1001', /limit: /],
  ])('refuses %s with a problem document', async (query, why) => {
    const { status, body } = await (await served()).get(`/v1/ledger${query}`)
    expect(status).toBe(400)
    expect(body).toMatchObject({ status: 400, detail: expect.stringMatching(why) as string })
  })

  it('is never written by the API', async () => {
    const { get } = await served()
    for (const method of ['POST', 'PUT', 'DELETE']) {
      expect((await get('/v1/ledger', { method })).status).toBe(405)
    }
  })
})
