import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import type { JobState } from '#/core/dispatch/job.ts'
import type { SlotState } from '#/core/dispatch/slot.ts'
import { returnJob } from '#/runtime/dispatch/return-job.ts'
import { until } from '#test/cluster/until.ts'
import { getJob, queued, recordAll } from '#test/contracts/store-builders.ts'
import { testDatabase } from '#test/postgres/test-database.ts'
import { openPostgresStore } from '#test/store/open-postgres-store.ts'
import { askAt } from './dispatch-server.ts'
import { SCOPE } from './own-pods.ts'
import { startOutsideWorld } from './outside-world.ts'
import type { Around, OutsideWorld } from './outside-world.ts'

const { connectionString } = await testDatabase()
const opened = openPostgresStore(connectionString)
const { assignments } = opened.store
afterAll(opened.close)

const TIMEOUT = { timeout: 240_000 }
const WITHIN_MS = 120_000
let jobs = 0

/** A step after which the process is killed, and what it leaves. docs/dispatch.md has the same table. */
type Step = {
  readonly title: string
  /** Holds the process there: the request gets no answer. Absent: it is killed once the store shows `leaves`. */
  readonly hold?: (world: OutsideWorld, hold: Around) => void
  /** Null: it is queued only after the process was killed. */
  readonly job: JobState | null
  readonly slot: SlotState | null
  readonly registered: number
  /** What the same pod gets from the next process. */
  readonly afterwards: 'job' | 'committed'
}

const STEPS: readonly Step[] = [
  {
    title: 'the token was shown',
    hold: ({ cluster }, hold) => void (cluster.before = onPath(/tokenreviews$/u, hold)),
    job: 'queued',
    slot: null,
    registered: 0,
    afterwards: 'job',
  },
  { title: 'the pod began to wait', job: null, slot: 'warm', registered: 0, afterwards: 'job' },
  {
    title: 'the claim was made',
    hold: ({ github }, hold) => void (github.before = onPath(/generate-jitconfig$/u, hold)),
    job: 'claimed',
    slot: 'claimed',
    registered: 0,
    afterwards: 'committed',
  },
  {
    title: 'GitHub registered the runner',
    hold: ({ github }, hold) => void (github.after = onPath(/generate-jitconfig$/u, hold)),
    job: 'claimed',
    slot: 'claimed',
    registered: 1,
    afterwards: 'committed',
  },
  {
    title: 'the runner was recorded',
    hold: ({ cluster }, hold) => void (cluster.after = onPath(/^PATCH/u, hold)),
    job: 'minted',
    slot: 'minted',
    registered: 1,
    afterwards: 'committed',
  },
  { title: 'the answer was sent', job: 'minted', slot: 'minted', registered: 1, afterwards: 'committed' },
]

function onPath(pattern: RegExp, hold: Around): Around {
  return async (asked) => {
    if (pattern.test(asked)) await hold(asked)
  }
}

/** Another replica, until it is killed. */
async function startReplica({ github, cluster }: OutsideWorld, pods: readonly string[]) {
  const script = join(import.meta.dirname, 'dispatch-process.ts')
  const given = ['--database', connectionString, '--github', github.url, '--token', github.token]
  const args = [...given, '--kubeconfig', cluster.kubeconfig, ...pods.flatMap((uid) => ['--pod', uid])]
  const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  onTestFinished(async () => await kill(child, exited))
  let said = ''
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()))
  const url = await until({
    what: 'the replica to listen',
    timeoutMs: WITHIN_MS,
    probe: async () => /^(http\S+)\n/u.exec(said)?.[1],
  })
  return { url, kill: async () => await kill(child, exited) }
}

async function kill(child: ChildProcess, exited: Promise<unknown>): Promise<void> {
  child.kill('SIGKILL')
  await exited
}

const stateOf = async (job: number, uid: string) => ({
  job: (await assignments.job(job))?.state ?? null,
  slot: (await assignments.slot(uid))?.state ?? null,
})

describe('kill -9 of dispatch after', () => {
  it.each(STEPS)('$title', TIMEOUT, async (step) => {
    jobs += 1
    const [job, uid, other] = [jobs, `pod-${jobs}`, `other-${jobs}`]
    const world = await startOutsideWorld()
    const announce = () => recordAll(opened.store, queued(job, { scope: SCOPE, repository: 'acme/app' }))
    if (step.job !== null) await announce()
    const reached = Promise.withResolvers<void>()
    step.hold?.(world, async () => {
      reached.resolve()
      await new Promise<never>(() => {})
    })
    const first = await startReplica(world, [uid])
    const asking = askAt(first.url, uid).catch(() => 'no answer')
    if (step.hold !== undefined) await reached.promise
    else if (step.job !== null) expect(await asking).toMatchObject({ status: 200 })
    const left = { job: step.job, slot: step.slot }
    const probe = async () => {
      const state = await stateOf(job, uid)
      return state.job === left.job && state.slot === left.slot ? state : undefined
    }
    expect(await until({ what: `the store to show ${step.title}`, timeoutMs: WITHIN_MS, probe })).toEqual(left)
    await first.kill()
    if (step.hold !== undefined || step.job === null) expect(await asking).toBe('no answer')
    if (step.job === null) await announce()
    for (const around of [world.github, world.cluster]) Object.assign(around, { before: () => {}, after: () => {} })
    const runners = () => world.sim.world.listRunners({ kind: 'repository', fullName: 'acme/app' })
    expect(runners()).toHaveLength(step.registered)

    const second = await startReplica(world, [uid, other])
    const again = await askAt(second.url, uid)
    if (step.afterwards === 'job') {
      expect(again).toMatchObject({ status: 200, body: { slot: uid } })
      expect(await stateOf(job, uid)).toEqual({ job: 'minted', slot: 'minted' })
    } else {
      // The pod ends, and nobody gets its job before it was recovered.
      expect(again).toMatchObject({ status: 410, body: { reason: 'committed' } })
      expect(await askAt(second.url, other, 0)).toMatchObject({ status: 204 })
      expect(await stateOf(job, uid)).toEqual(left)
      await recover(job, uid, step.slot)
      await retry(second.url, job, other)
    }
    expect((await assignments.history(job)).filter(({ to }) => to === 'minted').length).toBe(
      step.slot === 'minted' ? 2 : 1,
    )
    await second.kill()
  })
})

/** As the recovery loops do it. */
async function recover(job: number, uid: string, slot: SlotState | null): Promise<void> {
  const means = { assignments, clock: { now: () => 5000 }, log: { warn: () => {} } }
  if (slot === 'claimed') return await returnJob(means, uid, 'claim-stale')
  const { generation } = await getJob(assignments, job)
  await recordAll(
    opened.store,
    { kind: 'slot-ended', at: 4000, uid },
    { kind: 'job-returned', at: 5000, job: { id: job, generation }, slot: uid, reason: 'never-registered' },
  )
}

/** The job can be claimed again, by another pod. */
async function retry(url: string, job: number, uid: string): Promise<void> {
  expect(await askAt(url, uid)).toMatchObject({ status: 200, body: { slot: uid } })
  expect(await stateOf(job, uid)).toEqual({ job: 'minted', slot: 'minted' })
}
