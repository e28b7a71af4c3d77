import { createRequire } from 'node:module'
import { describe, expect, it } from 'vitest'
import { seenList } from '#/core/basics/observed.ts'
import { declarePool } from '#/core/pools/declared-pools.ts'
import { readDelivery } from '#/core/webhooks/read-delivery.ts'
import { webhookWorld } from './webhook-world.ts'

type Payload = {
  readonly action: string
  readonly workflow_job: { readonly id: number; readonly status: string; readonly labels: readonly string[] }
  readonly repository: { readonly full_name: string }
}
type Definition = { readonly name: string; readonly examples: readonly unknown[] }

const load = createRequire(import.meta.url)
const SETS = ['api.github.com', 'ghes-31', 'ghes-32', 'ghes-33', 'ghes-34', 'ghes-35']
const ALL = SETS.flatMap((set) =>
  (load(`@octokit/webhooks-examples/${set}/index.json`) as readonly Definition[]).flatMap(({ name, examples }) =>
    examples.map((payload, index) => ({ set, name, index, payload })),
  ),
)
const JOBS = ALL.filter(({ name }) => name === 'workflow_job').map(({ set, index, payload }) => ({
  set,
  index,
  payload: payload as Payload,
}))
const ROWS = JOBS.map((one) => [`${one.set} ${one.index}, ${one.payload.action}`, one.payload] as const)

const STATE: Readonly<Record<string, string | undefined>> = {
  queued: 'queued',
  in_progress: 'executing',
  completed: 'finished',
  waiting: undefined,
}

describe('GitHub’s examples of workflow_job', () => {
  it('are all there', () => {
    expect(JOBS.filter(({ set }) => set === 'api.github.com')).toHaveLength(8)
    expect(new Set(JOBS.map(({ payload }) => payload.workflow_job.status))).toEqual(new Set(Object.keys(STATE)))
  })

  it.each(ROWS)('move the job as their status says, where a pool fits: %s', async (_, payload) => {
    const world = webhookWorld()
    const [owner = '', name = ''] = payload.repository.full_name.split('/')
    const { labels } = payload.workflow_job
    world.setPools(seenList([declarePool('own', { labels, github: { owner, repositories: [name] } })]))
    expect((await world.send({ payload })).status).toBe(202)
    await world.worker.applyDue()
    expect(world.counts()).toEqual({ applied: 1 })
    const job = await world.store.assignments.job(payload.workflow_job.id)
    expect(job?.state).toBe(STATE[payload.workflow_job.status])
  })

  it.each(ROWS)('are a recorded outcome where none fits: %s', async (_, payload) => {
    const world = webhookWorld()
    await world.send({ payload })
    await world.worker.applyDue()
    expect(await world.rows()).toMatchObject([{ outcome: 'no-installation' }])
    expect(await world.store.assignments.jobs({ limit: 1 })).toEqual([])
  })

  it('are the only ones that are read', () => {
    const others = ALL.filter(({ name }) => name !== 'workflow_job')
    expect(others.length).toBeGreaterThan(100)
    for (const { name, payload } of others) expect(readDelivery(name, payload)).toEqual({ kind: 'other-event' })
  })

  it('of other events never crash the reader', () => {
    for (const { payload } of ALL) expect(['job', 'malformed']).toContain(readDelivery('workflow_job', payload).kind)
  })
})
