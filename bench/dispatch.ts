import { Agent, request } from 'node:http'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { systemClock } from '#/adapters/clock.ts'
import { openPool } from '#/adapters/postgres/connection/pool.ts'
import { migrationsFolder } from '#/adapters/postgres/migrate-folder.ts'
import { migrate } from '#/adapters/postgres/migrate.ts'
import { chooseFairly } from '#/core/dispatch/fairness.ts'
import type { Store } from '#/ports/store/store.ts'
import { record } from '#/runtime/dispatch/record.ts'
import { appeared, queued } from '#test/contracts/store-builders.ts'
import { NAMESPACE } from '#test/dispatch/own-pods.ts'
import { openPostgresStore } from '#test/store/open-postgres-store.ts'
import type { Section } from './measured.ts'
import { readCost } from './process-cost.ts'
import { start, untilTrue } from './running.ts'

const PODS = 1000
const JOBS = 400
const JOB_EVERY_MS = 50
const POLL_MS = 2000
const POLLED_JOBS = 200
const IDLE_PODS = 5000
const IDLE_MS = 60_000
const SETTLED_MS = 3000
const REPLICA = path.join(import.meta.dirname, 'peers', 'dispatch-replica.ts')
const SCOPE = `${NAMESPACE}/linux`
const POLLED = 'polled'

type Answer = { readonly status: number; readonly at: number; readonly text: string }

/** From the webhook to the runner in the hands of a pod, without GitHub's own time; and what pods cost that wait. */
export async function dispatch(databaseUrl: string): Promise<readonly Section[]> {
  const pool = openPool({ connectionString: databaseUrl })
  await migrate({ pool, folder: migrationsFolder(), clock: systemClock, signal: new AbortController().signal })
  await pool.end()
  const replica = start(process.execPath, [REPLICA, databaseUrl], {})
  const { store, close } = openPostgresStore(databaseUrl)
  const agent = new Agent({ keepAlive: true, maxSockets: Infinity })
  try {
    await untilTrue(async () => replica.url() !== null, replica.said)
    const pods = new Pods(replica.url() ?? '', agent)
    const waited = await measurePickup(store, pods)
    const polled = await measurePolling(store)
    const idle = await measureIdle(pods, replica.child.pid ?? 0)
    return [compare(waited, polled), idle]
  } finally {
    agent.destroy()
    const closed = new Promise((resolve) => replica.child.once('close', resolve))
    replica.child.kill('SIGKILL')
    await closed
    await close()
  }
}

/** Pods that poll again and again; each ends with its job, and another comes. */
class Pods {
  readonly #url: string
  readonly #agent: Agent
  #born = 0
  #waiting = 0
  #isOver = false
  onJob: (slot: string, at: number) => void = () => {}

  constructor(url: string, agent: Agent) {
    this.#url = url
    this.#agent = agent
  }

  get waiting(): number {
    return this.#waiting
  }

  async fill(count: number): Promise<void> {
    while (this.#waiting < count) {
      this.#bear()
      if (this.#waiting % 50 === 0) await sleep(20)
    }
  }

  end(): void {
    this.#isOver = true
    this.#agent.destroy()
  }

  #bear(): void {
    this.#born += 1
    this.#waiting += 1
    void this.#live(`pod-${this.#born}`)
  }

  async #live(uid: string): Promise<void> {
    while (!this.#isOver) {
      const { status, at, text } = await this.#ask(uid).catch(() => ({ status: 0, at: 0, text: '' }))
      if (status === 200) {
        this.#waiting -= 1
        this.onJob((JSON.parse(text) as { readonly slot: string }).slot, at)
        this.#bear()
        return
      }
      if (status !== 204) await sleep(1000)
    }
  }

  #ask(uid: string): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${uid}` }
      const asking = request(`${this.#url}/v1/dispatch?wait=25`, { method: 'POST', agent: this.#agent, headers })
      asking.on('error', reject)
      asking.on('response', (response) => {
        const at = performance.now()
        let text = ''
        response.on('data', (chunk: Buffer) => (text += chunk.toString()))
        response.on('error', reject)
        response.on('end', () => resolve({ status: response.statusCode ?? 0, at, text }))
      })
      asking.end()
    })
  }
}

async function measurePickup(store: Store, pods: Pods): Promise<readonly number[]> {
  console.error(`${PODS} pods wait, ${JOBS} jobs come`)
  const takenAt: number[] = []
  const queuedAt: number[] = []
  pods.onJob = (_slot, at) => takenAt.push(at)
  await pods.fill(PODS)
  await sleep(SETTLED_MS)
  for (let id = 1; id <= JOBS; id += 1) {
    queuedAt.push(performance.now())
    await record(store.assignments, queued(id, { scope: SCOPE, repository: `acme/r${id % 20}` }))
    await sleep(JOB_EVERY_MS)
  }
  while (takenAt.length < JOBS) await sleep(10)
  // One job at a time is under way, so the n-th that was taken is the n-th that came.
  return takenAt.map((at, index) => at - (queuedAt[index] ?? Number.NaN))
}

/** The same store, looked at every two seconds for the same number of slots. */
async function measurePolling(store: Store): Promise<readonly number[]> {
  console.error(`the same store is polled every ${POLL_MS} ms`)
  const waiting = Array.from({ length: PODS }, (_, index) => `polled-${index}`)
  for (const uid of waiting) await record(store.assignments, appeared(uid, { scope: POLLED }))
  const queuedAt = new Map<number, number>()
  const pickups: number[] = []
  const comes = async (): Promise<void> => {
    for (let id = JOBS + 1; id <= JOBS + POLLED_JOBS; id += 1) {
      queuedAt.set(id, performance.now())
      await record(store.assignments, queued(id, { scope: POLLED }))
      await sleep(JOB_EVERY_MS)
    }
  }
  const coming = comes()
  while (pickups.length < POLLED_JOBS) {
    await sleep(POLL_MS)
    const request = { scope: POLLED, waiting, jobLimit: PODS, at: Date.now() }
    const claims = await store.assignments.match(request, chooseFairly())
    for (const { job } of claims) pickups.push(performance.now() - (queuedAt.get(job.id) ?? Number.NaN))
  }
  await coming
  return pickups
}

async function measureIdle(pods: Pods, pid: number): Promise<Section> {
  console.error(`${IDLE_PODS} pods wait for ${IDLE_MS / 1000} s`)
  await pods.fill(IDLE_PODS)
  // Each has asked twice, so that reviews and first looks are over.
  await sleep(IDLE_MS)
  const before = readCost(pid)
  await sleep(IDLE_MS)
  const { megabytes, cpuSeconds } = readCost(pid)
  const share = ((cpuSeconds - before.cpuSeconds) / (IDLE_MS / 1000)) * 100
  const note = `${share.toFixed(1)} % of one core over ${IDLE_MS / 1000} s; ${pods.waiting} pods`
  pods.end()
  return {
    title: `${IDLE_PODS} pods that wait for a job (long polls of 25 s)`,
    rows: [{ what: 'the server', value: `${megabytes.toFixed(0)} MB`, note }],
  }
}

function compare(waited: readonly number[], polled: readonly number[]): Section {
  const [own, peer] = [quantiles(waited), quantiles(polled)]
  const print = ({ p50, p99 }: Quantiles): string => `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`
  const note = `${(peer.p50 / own.p50).toFixed(0)} × better at p50, ${(peer.p99 / own.p99).toFixed(0)} × at p99 (goals: p99 ≤ 50 ms, 20 ×)`
  return {
    title: `Pickup with ${PODS} waiting pods: from the webhook until the runner is handed out; GitHub answers at once`,
    rows: [
      { what: 'signalbox, long polls over HTTP', value: print(own), note },
      { what: 'the same store, polled every 2 s', value: print(peer), note: 'until the claim; no HTTP' },
    ],
  }
}

type Quantiles = { readonly p50: number; readonly p99: number }

function quantiles(values: readonly number[]): Quantiles {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
  return { p50: at(0.5), p99: at(0.99) }
}
