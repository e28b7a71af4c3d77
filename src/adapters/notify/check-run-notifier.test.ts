import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Ajv } from 'ajv'
import { afterEach, describe, expect, it } from 'vitest'
import { checkRunNotifier, hasJob } from '#/adapters/notify/check-run-notifier.ts'
import type { Death } from '#/core/recorder/death.ts'
import { at } from '#/core/basics/fields.ts'
import type { Notifier } from '#/ports/notifier.ts'
import type { FetchHandler } from '#/sim/github/fetch-handler.ts'
import { startGitHubWorld, tokenCredential } from '#test/contracts/github-world.ts'
import type { GitHubWorld } from '#test/contracts/github-world.ts'
import { someDeath } from '#test/notify/some-death.ts'
import { someNotice } from '#test/notify/some-notice.ts'

const worlds: GitHubWorld[] = []
afterEach(async () => {
  for (const world of worlds.splice(0)) await world[Symbol.asyncDispose]()
})

const UNSTOPPED = new AbortController().signal
const REPO = 'acme/api'

/** Of what GitHub's own description says about the request. */
const description: unknown = JSON.parse(
  readFileSync(createRequire(import.meta.url).resolve('@octokit/openapi/generated/api.github.com.json'), 'utf8'),
)
const CREATE = [
  'paths',
  '/repos/{owner}/{repo}/check-runs',
  'post',
  'requestBody',
  'content',
  'application/json',
  'schema',
]
const fits = new Ajv({ strict: false, logger: false }).compile(at(description, ...CREATE) as object)

type Started = {
  readonly world: GitHubWorld
  readonly notifier: Notifier
  /** What GitHub was asked to write. */
  readonly orders: unknown[]
  readonly lost: Death
}

async function start(options: { readonly patienceMs?: number } = {}): Promise<Started> {
  const orders: unknown[] = []
  const around = (next: FetchHandler): FetchHandler => {
    return async (request) => {
      if (request.method === 'POST' && request.url.endsWith('/check-runs')) orders.push(await request.clone().json())
      return next(request)
    }
  }
  const world = await startGitHubWorld({ around, adapter: options })
  worlds.push(world)
  const job = world.sim.world.queueJob({ repository: REPO, labels: ['linux'], name: 'build' })
  const url = `https://github.com/${REPO}/actions/runs/1/job/${job.id}`
  const lost = someDeath('u1', { repository: REPO, job: { id: job.id, name: 'build', url } })
  return { world, notifier: checkRunNotifier(world.github), orders, lost }
}

const send = ({ notifier, lost }: Started) => notifier.send(someNotice([lost]), UNSTOPPED)

describe('a check run', () => {
  it('stands at the commit of the lost job with the verdict', async () => {
    const started = await start()
    expect(await send(started)).toEqual({ kind: 'sent' })
    const [order] = started.orders
    expect([fits(order), fits.errors]).toEqual([true, null])
    const job = await started.world.github.jobs.byId(REPO, started.lost.job?.id ?? 0)
    expect(order).toMatchObject({
      name: 'signalbox / build',
      head_sha: job.kind === 'seen' ? job.value.headSha : '',
      external_id: 'u1',
      status: 'completed',
      conclusion: 'neutral',
      details_url: started.lost.job?.url,
      output: {
        title: 'node lost (90 %)',
        summary: expect.stringContaining('The node went away under the pod.') as string,
      },
    })
  })

  it('cannot be written without the right: the channel is paused, and what is missing is said', async () => {
    const started = await start()
    const { world, lost } = started
    const credential = tokenCredential(world.sim.personalToken('acme', { actions: 'read', checks: 'read' }))
    const notifier = checkRunNotifier(world.connect({ credential }))
    expect(await notifier.send(someNotice([lost]), UNSTOPPED)).toMatchObject({
      kind: 'paused',
      why: expect.stringMatching(/repositories of acme.*checks: write.*checks=write/) as string,
    })
  })

  it.each<[string, (now: number) => Record<string, string>]>([
    [
      'a spent budget',
      (now) => ({
        'x-ratelimit-limit': '5000',
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': String(now / 1000 + 600),
      }),
    ],
    ['a secondary limit', () => ({ 'retry-after': '600' })],
  ])('waits for %s until GitHub says', async (_, headersAt) => {
    const started = await start({ patienceMs: 1000 })
    const { sim, clock } = started.world
    const body = JSON.stringify({ message: 'API rate limit exceeded' })
    const headers = { date: new Date(clock.now()).toUTCString(), ...headersAt(clock.now()) }
    sim.faults.add({ method: 'POST', path: /check-runs/, fault: { kind: 'answer', status: 429, body, headers } })
    const sending = await send(started)
    expect(sending.kind === 'later' && (sending.notBefore ?? 0) - clock.now()).toBeGreaterThanOrEqual(599_000)
    expect(started.orders.length).toBe(1)
  })

  it.each([
    [403, JSON.stringify({ message: 'Resource not accessible by integration' }), { kind: 'paused' }],
    [404, JSON.stringify({ message: 'Not Found' }), { kind: 'refused' }],
    [422, JSON.stringify({ message: 'No commit found for SHA' }), { kind: 'refused' }],
    [502, '<html>', { kind: 'later', notBefore: null }],
  ])('that GitHub answers with %i', async (status, body, expected) => {
    const started = await start()
    started.world.sim.faults.add({ method: 'POST', path: /check-runs/, fault: { kind: 'answer', status, body } })
    expect(await send(started)).toMatchObject(expected)
  })

  it('is not written for a job that GitHub does not have, or may not be read', async () => {
    const started = await start()
    const { notifier, world, lost } = started
    const unknown = { ...lost, job: { id: 4711, name: null, url: null } }
    expect(await notifier.send(someNotice([unknown]), UNSTOPPED)).toMatchObject({ kind: 'refused' })
    world.sim.faults.add({
      path: /actions\/jobs/,
      fault: { kind: 'answer', status: 403, body: '{"message":"Resource not accessible"}' },
    })
    expect(await send(started)).toMatchObject({ kind: 'paused' })
    world.sim.faults.add({ path: /actions\/jobs/, times: 9, fault: { kind: 'answer', status: 502 } })
    expect(await send(started)).toMatchObject({ kind: 'later' })
    expect(started.orders).toEqual([])
  })

  it('is for deaths with a job only, and waits with those of the same owner', async () => {
    const { notifier, lost } = await start()
    expect([hasJob(lost), hasJob({ ...lost, job: null }), hasJob({ ...lost, repository: null })]).toEqual([
      true,
      false,
      false,
    ])
    expect(notifier.lane?.(someNotice([lost]))).toBe('acme')
    expect(await notifier.send(someNotice([someDeath('x')]), UNSTOPPED)).toMatchObject({ kind: 'refused' })
  })
})
