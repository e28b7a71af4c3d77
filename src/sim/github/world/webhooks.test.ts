import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { CheckedSim } from '#test/github/checked-sim.ts'
import { createCheckedSim } from '#test/github/checked-sim.ts'
import { webhookProblems } from '#test/github/webhook-schemas.ts'

const SECRET = 'a shared secret'
const DAY = 24 * 3_600_000

type Received = { readonly headers: Readonly<Record<string, string>>; readonly body: string }

describe('webhooks', () => {
  it('report the whole life of a job, signed, and fit GitHub’s schemas', async () => {
    const { sim, received } = subscribed()
    const waiting = sim.world.queueJob({ repository: 'acme/api', labels: ['linux'], waiting: true })
    sim.world.releaseJob(waiting.id)
    runnerFor(sim)
    for (const { job } of sim.world.assign()) sim.world.startJob(job.id)
    sim.world.beginStep(waiting.id, 'Run tests')
    sim.world.completeJob(waiting.id)
    expect(await sim.webhooks.flush()).toBe(7)
    expect(received.map(named)).toEqual([
      'workflow_run requested',
      'workflow_job waiting',
      'workflow_job queued',
      'workflow_job in_progress',
      'workflow_run in_progress',
      'workflow_job completed',
      'workflow_run completed',
    ])
    for (const { headers, body } of received) {
      expect(webhookProblems(headers['x-github-event'] ?? '', JSON.parse(body))).toEqual([])
      const mac = createHmac('sha256', SECRET).update(body).digest('hex')
      expect(headers['x-hub-signature-256']).toBe(`sha256=${mac}`)
    }
  })

  it('fit the schemas also for a personal account, a lost job and a cancelled one', async () => {
    const { sim, clock, received } = subscribed()
    sim.world.addUser('mona')
    sim.world.addRepository('mona/dots', { private: false })
    sim.install('mona')
    const cancelled = sim.world.queueJob({ repository: 'mona/dots', labels: [] })
    sim.world.cancelRun(cancelled.run)
    const runner = runnerFor(sim)
    const lost = sim.world.queueJob({ repository: 'acme/api', labels: ['linux'] })
    for (const { job } of sim.world.assign()) sim.world.startJob(job.id)
    sim.world.runnerVanishes(runner)
    clock.advance(10 * 60_000)
    sim.world.passTime()
    await sim.webhooks.flush()
    const bodies = received.map(({ headers, body }) =>
      webhookProblems(headers['x-github-event'] ?? '', JSON.parse(body)),
    )
    expect(bodies.flat()).toEqual([])
    expect(JSON.parse(received.findLast((hook) => named(hook) === 'workflow_job completed')!.body)).toMatchObject({
      workflow_job: { id: lost.id, conclusion: 'failure', runner_id: runner, steps: [{ conclusion: null }] },
    })
  })

  it('report the start and the end of a run once, however many jobs it has', async () => {
    const { sim, received } = subscribed()
    const jobs = [1, 2, 3].map((name) => ({ name: `job ${name}`, labels: [] }))
    const queued = sim.world.queueRun({ repository: 'acme/api', jobs }).jobs
    for (const job of queued) sim.world.completeJob(job.id, { conclusion: 'skipped' })
    await sim.webhooks.flush()
    expect(received.map(named).filter((name) => name.startsWith('workflow_run'))).toEqual([
      'workflow_run requested',
      'workflow_run in_progress',
      'workflow_run completed',
    ])
  })

  it('reach only an App that is installed there and not suspended', async () => {
    const { sim, installation, received } = subscribed()
    sim.world.addOrganization('beta')
    sim.world.addRepository('beta/x')
    sim.world.queueJob({ repository: 'beta/x', labels: [] })
    sim.suspend(installation.id)
    sim.world.queueJob({ repository: 'acme/api', labels: [] })
    await sim.webhooks.flush()
    expect(received).toEqual([])
  })

  it('can be lost without a trace, fail, come twice and in another order', async () => {
    const lost = subscribed()
    lost.sim.webhooks.setMishaps({ lost: 1 })
    queueMany(lost)
    expect(await lost.sim.webhooks.flush()).toBe(0)
    expect(lost.sim.webhooks.log()).toEqual([])

    const failed = subscribed()
    failed.sim.webhooks.setMishaps({ failed: 1 })
    queueMany(failed)
    await failed.sim.webhooks.flush()
    expect(failed.received).toEqual([])
    expect(new Set(failed.sim.webhooks.log().map((delivery) => delivery.statusCode))).toEqual(new Set([504]))

    const twice = subscribed()
    twice.sim.webhooks.setMishaps({ duplicated: 1 })
    queueMany(twice)
    await twice.sim.webhooks.flush()
    const guids = twice.received.map(({ headers }) => headers['x-github-delivery'])
    expect(guids).toHaveLength(2 * new Set(guids).size)

    const straight = subscribed()
    const reordered = subscribed()
    reordered.sim.webhooks.setMishaps({ reordered: true })
    for (const side of [straight, reordered]) {
      queueMany(side)
      await side.sim.webhooks.flush()
    }
    expect(reordered.received.map(({ body }) => body)).not.toEqual(straight.received.map(({ body }) => body))
    expect(new Set(reordered.received.map(({ body }) => body))).toEqual(
      new Set(straight.received.map(({ body }) => body)),
    )
  })
})

describe('the log of deliveries', () => {
  it('records what the subscriber answered, and redelivers under the same GUID', async () => {
    const subscriber = subscribed()
    const { sim, asApp, received } = subscriber
    subscriber.answer = 503
    sim.world.queueJob({ repository: 'acme/api', labels: [] })
    await sim.webhooks.flush()
    const [failed] = (await asApp('GET', '/app/hook/deliveries?status=failure')).body as readonly Item[]
    expect(failed).toMatchObject({ event: 'workflow_job', action: 'queued', status_code: 503, redelivery: false })
    expect((await asApp('GET', '/app/hook/deliveries?status=success')).body).toEqual([])
    subscriber.answer = 202
    expect((await asApp('POST', `/app/hook/deliveries/${failed!.id}/attempts`)).status).toBe(202)
    await sim.webhooks.flush()
    const [again] = (await asApp('GET', '/app/hook/deliveries?status=success')).body as readonly Item[]
    expect(again).toMatchObject({ guid: failed!.guid, redelivery: true, status: 'OK', status_code: 202 })
    expect(received.at(-1)?.body).toBe(received.at(-2)?.body)
    expect((await asApp('GET', `/app/hook/deliveries/${again!.id}`)).body).toMatchObject({
      request: { payload: { action: 'queued' } },
      response: { payload: 'noted' },
    })
  })

  it('is paged by a cursor that new deliveries do not shift', async () => {
    const subscriber = subscribed()
    const { sim, asApp } = subscriber
    queueMany(subscriber)
    await sim.webhooks.flush()
    const all = sim.webhooks.log().map((delivery) => delivery.id)
    const first = await asApp('GET', '/app/hook/deliveries?per_page=5')
    sim.world.queueJob({ repository: 'acme/api', labels: [] })
    await sim.webhooks.flush()
    const next = /<https:\/\/api\.github\.test([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? ''
    expect(next).toContain('cursor=v1_')
    const second = await asApp('GET', next)
    const ids = [first, second].flatMap((page) => (page.body as readonly Item[]).map((item) => item.id))
    expect(ids).toEqual(all.slice(0, 10))
    expect((await asApp('GET', '/app/hook/deliveries?cursor=v1_0')).status).toBe(400)
  })

  it('forgets after three days and knows nothing of other ids', async () => {
    const subscriber = subscribed()
    const { sim, clock, asApp } = subscriber
    queueMany(subscriber)
    await sim.webhooks.flush()
    const [newest] = sim.webhooks.log()
    expect((await asApp('GET', `/app/hook/deliveries/${newest!.id}`)).status).toBe(200)
    clock.advance(3 * DAY)
    expect((await asApp('GET', '/app/hook/deliveries')).body).toEqual([])
    expect((await asApp('GET', `/app/hook/deliveries/${newest!.id}`)).status).toBe(404)
    expect((await asApp('POST', `/app/hook/deliveries/${newest!.id}/attempts`)).status).toBe(404)
  })

  it('says that nobody was there when the subscriber cannot be reached', async () => {
    const subscriber = subscribed()
    subscriber.answer = null
    queueMany(subscriber)
    await subscriber.sim.webhooks.flush()
    expect(subscriber.sim.webhooks.log()[0]).toMatchObject({ status: 'failed to connect to host', statusCode: 502 })
  })
})

type Item = { readonly id: number; readonly guid: string }
type Subscriber = CheckedSim & { readonly received: Received[]; answer: number | null }

function subscribed(): Subscriber {
  const received: Received[] = []
  const subscriber: Subscriber = {
    ...createCheckedSim({
      webhook: {
        url: 'https://signalbox.test/webhook',
        secret: SECRET,
        deliver: async (_, headers, body) => {
          if (subscriber.answer === null) throw new Error('refused')
          received.push({ headers, body })
          return { status: subscriber.answer, body: 'noted' }
        },
      },
    }),
    received,
    answer: 202,
  }
  return subscriber
}

function queueMany({ sim }: Subscriber): void {
  for (let index = 0; index < 6; index += 1) sim.world.queueJob({ repository: 'acme/api', labels: [] })
}

function runnerFor(sim: CheckedSim['sim']): number {
  const scope = { kind: 'organization', login: 'acme' } as const
  const outcome = sim.world.registerRunner({ name: 'r1', labels: ['linux'], scope, ephemeral: true })
  if (outcome.kind !== 'registered') throw new Error(outcome.kind)
  return sim.world.runnerComesOnline(outcome.runner.id).id
}

function named({ headers, body }: Received): string {
  return `${headers['x-github-event']} ${(JSON.parse(body) as { readonly action: string }).action}`
}
