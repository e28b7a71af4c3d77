import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'
import type { ServeProcess } from '#test/recorder/serve-process.ts'
import type { SimulatedCluster } from './simulated-cluster.ts'

export type ApiLoad = {
  readonly bodies: number
  readonly connections: number
  readonly rejudges: number
  /** Requests a second. */
  readonly rate: number
}

export type LoadPlan = {
  readonly cluster: Pick<SimulatedCluster, 'live'>
  readonly serve: ServeProcess
  readonly pool: Pool
  readonly load: ApiLoad
  readonly deathsPerSecond: number
  /** Deaths that are stored before, for those who judge all of them again. */
  readonly stored: number
  readonly forMs: number
  /** For the last deaths to be stored. */
  readonly patienceMs: number
}

export type LoadReport = {
  readonly died: number
  readonly lost: number
  readonly storedP50: number
  readonly storedP99: number
  readonly storedMost: number
  /** In megabytes, over the time. */
  readonly resident: readonly number[]
  /** What the callers of the API got. */
  readonly answers: string
}

const LOOK_MS = 50
/** Then it may have gone before the recorder watched, and another one dies. */
const JUDGED_LOOKS = 200
const RESIDENT_EVERY_MS = 10_000
let run = 0

/** Runners die while the API is under load: when each is stored, counted from its end. */
export async function loadApi(plan: LoadPlan): Promise<LoadReport> {
  const { cluster, serve, load } = plan
  run += 1
  const endedAt = new Map<string, number>()
  const storedAt = new Map<string, number>()
  const resident: number[] = []
  const over = new AbortController()
  const watching = [
    watchStored(plan.pool, endedAt, storedAt, over.signal),
    watchMemory(serve.pid, resident, over.signal),
  ]
  await storeCopies(plan.pool, await untilRecorded(plan), plan.stored)
  await using caller = await startLoad(serve.url, load)
  const deaths: Promise<unknown>[] = []
  const start = performance.now()
  for (let index = 0; performance.now() < start + plan.forMs; index += 1) {
    deaths.push(cluster.live(`load-${run}-${index}`).then((uid) => endedAt.set(uid, performance.now())))
    await sleep(Math.max(0, start + ((index + 1) * 1000) / plan.deathsPerSecond - performance.now()))
  }
  await Promise.all(deaths)
  const deadline = performance.now() + plan.patienceMs
  while (storedAt.size < endedAt.size && performance.now() < deadline) await sleep(LOOK_MS)
  const answers = await caller.stop()
  over.abort()
  await Promise.all(watching)
  const times = [...storedAt].map(([uid, at]) => at - (endedAt.get(uid) ?? at)).toSorted((a, b) => a - b)
  const share = (part: number): number => Math.round(times[Math.floor((times.length - 1) * part)] ?? Number.NaN)
  return {
    died: endedAt.size,
    lost: endedAt.size - storedAt.size,
    storedP50: share(0.5),
    storedP99: share(0.99),
    storedMost: share(1),
    resident,
    answers,
  }
}

/** Pods that went before the recorder watched were never seen by it. */
async function untilRecorded({ cluster, pool }: LoadPlan): Promise<string> {
  const uids: string[] = []
  for (;;) {
    uids.push(await cluster.live(`first-${run}-${uids.length}`))
    for (let looks = 0; looks < JUDGED_LOOKS; looks += 1) {
      // A busy machine may judge an earlier one only now.
      const judged = 'select uid from postmortems where uid = any($1) and cause is not null limit 1'
      const { rows } = await pool.query<{ uid: string }>(judged, [uids])
      if (rows[0] !== undefined) return rows[0].uid
      await sleep(LOOK_MS)
    }
  }
}

async function storeCopies(pool: Pool, uid: string, copies: number): Promise<void> {
  await pool.query(
    `insert into postmortems
     select (jsonb_populate_record(one, jsonb_build_object('uid', uid || '-' || copy))).*
     from postmortems as one, generate_series(1, $2::int) as copy where uid = $1`,
    [uid, copies],
  )
  await pool.query(
    `insert into evidence (uid, source, observed, reason, content, revision)
     select uid || '-' || copy, source, observed, reason, content, revision
     from evidence, generate_series(1, $2::int) as copy where uid = $1`,
    [uid, copies],
  )
}

async function watchStored(
  pool: Pool,
  endedAt: ReadonlyMap<string, number>,
  storedAt: Map<string, number>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const open = [...endedAt.keys()].filter((uid) => !storedAt.has(uid))
    const { rows } = await pool.query<{ uid: string }>('select uid from postmortems where uid = any($1)', [open])
    for (const { uid } of rows) storedAt.set(uid, performance.now())
    await sleep(LOOK_MS)
  }
}

async function watchMemory(pid: number, resident: number[], signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    resident.push(Math.round(Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1000))
    await sleep(RESIDENT_EVERY_MS, undefined, { signal }).catch(() => undefined)
  }
}

async function startLoad(url: string, load: ApiLoad) {
  const script = resolve(import.meta.dirname, 'load-process.ts')
  const flags = Object.entries(load).flatMap(([name, amount]) => [`--${name}`, String(amount)])
  const child = spawn(process.execPath, [script, '--url', url, ...flags], { stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()))
  const closed = once(child, 'close')
  await once(child.stdout, 'data')
  const stop = async (): Promise<string> => {
    child.kill('SIGTERM')
    await closed
    return said.trim().split('\n').at(-1) ?? ''
  }
  return {
    stop,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await closed
    },
  }
}
