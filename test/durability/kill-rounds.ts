import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'
import { createSeeded } from '#/sim/github/world/seeded.ts'
import { until } from '#test/cluster/until.ts'
import type { TcpGate } from '#test/kubernetes/tcp-gate.ts'
import { startServe } from '#test/recorder/serve-process.ts'
import type { ServeProcess } from '#test/recorder/serve-process.ts'
import { openGatedDatabase } from './gated-database.ts'
import { countReports } from './outage.ts'
import type { SimulatedCluster } from './simulated-cluster.ts'

/** What is wrong while `serve` is killed. */
export type Trouble = 'none' | 'store-silent' | 'store-refuses'

export type KillPlan = {
  readonly cluster: SimulatedCluster
  readonly connectionString: string
  readonly pool: Pool
  readonly data: string
  readonly rounds: number
  readonly seed: number
  readonly troubles: readonly Trouble[]
}

export type KillReport = {
  readonly kills: number
  readonly died: number
  readonly reported: number
  /** Reported, and not in the store as they were reported. */
  readonly missing: readonly string[]
  /** Reported more than once, with how often. */
  readonly repeated: readonly (readonly [string, number])[]
  /** Rounds in which something waited on disk when `serve` was killed. */
  readonly withSpool: number
}

const PER_SECOND = 20
const LONGEST_MS = 6000
const REPORTED = 'a runner died'
const SPOOLING = 'deaths go to the spool and will be retried'
const STORED_MS = 120_000

/** Kills `serve` at random moments while runners die; each start must store what the one before it reported. */
export async function killRounds(plan: KillPlan): Promise<KillReport> {
  const random = createSeeded(plan.seed)
  await using database = await openGatedDatabase(plan.connectionString)
  const { gate } = database
  await using left = new AsyncDisposableStack()
  const reported = new Map<string, string>()
  const logs: string[] = []
  let died = 0
  let withSpool = 0
  let troubledRounds = 0
  const args = ['--kubeconfig', plan.cluster.kubeconfig, '--data', plan.data]
  const start = async (): Promise<ServeProcess> => {
    const serve = await startServe(args, database.connectionString)
    left.defer(() => serve.stop('SIGKILL'))
    return serve
  }
  for (let round = 0; round < plan.rounds; round += 1) {
    const serve = await start()
    await untilSaid(serve, 'watching runner pods')
    const trouble = plan.troubles[(plan.seed + round) % plan.troubles.length] ?? 'none'
    const over = new AbortController()
    const dying = endRunners(plan.cluster, `r${plan.seed}-${round}`, over.signal)
    await untilSaid(serve, REPORTED)
    const after = random.fraction() * LONGEST_MS
    const troubled = sleep(random.fraction() * after).then(() => begin(gate, trouble))
    // Every other time the spool is in use before the moment is drawn: otherwise few moments would be in it.
    if (trouble !== 'none' && troubledRounds++ % 2 === 0) {
      await troubled
      await untilSaid(serve, SPOOLING)
    }
    await sleep(after)
    await serve.stop('SIGKILL')
    over.abort()
    await troubled
    // Nothing of a killed process stays connected, or the next one waits for its lock.
    gate.cut()
    gate.restore()
    died += await dying
    logs.push(wholeLines(serve.said()))
    for (const [uid, cause] of readReported(serve.said())) reported.set(uid, cause)
    if (await isSpoolUsed(join(plan.data, 'pending'))) withSpool += 1
  }
  const last = await start()
  try {
    const missing = await untilStored(plan.pool, reported)
    const repeated = [...countReports(...logs, last.said())].filter(([, times]) => times > 1)
    return { kills: plan.rounds, died, reported: reported.size, missing, repeated, withSpool }
  } finally {
    await last.stop('SIGTERM')
  }
}

async function untilSaid(serve: ServeProcess, words: string): Promise<void> {
  const probe = async () => (serve.said().includes(words) ? true : undefined)
  await until({ what: words, timeoutMs: 180_000, probe, explain: async () => serve.said() })
}

function begin(gate: TcpGate, trouble: Trouble): void {
  if (trouble === 'store-refuses') gate.cut()
  if (trouble === 'store-silent') {
    gate.silence()
    gate.shut()
  }
}

async function isSpoolUsed(folder: string): Promise<boolean> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const contents = files.filter((file) => file.isFile()).map((file) => readFile(join(file.parentPath, file.name)))
  // What only tries whether the disk has room is zeros.
  return (await Promise.all(contents)).some((content) => content.some((byte) => byte !== 0))
}

/** How many died until the signal. */
async function endRunners(cluster: SimulatedCluster, prefix: string, signal: AbortSignal): Promise<number> {
  const deaths: Promise<unknown>[] = []
  while (!signal.aborted) {
    deaths.push(cluster.live(`${prefix}-${deaths.length}`))
    await sleep(1000 / PER_SECOND)
  }
  await Promise.all(deaths)
  return deaths.length
}

/** A death is reported when its line is printed. The causes by UID. */
function readReported(said: string): ReadonlyMap<string, string> {
  return new Map(
    wholeLines(said)
      .split('\n')
      .flatMap((line) => {
        const [, uid, cause] = / a runner died .*\buid=(\S+) .*\bcause=(\S+) /.exec(line) ?? []
        return uid === undefined || cause === undefined ? [] : [[uid, cause]]
      }),
  )
}

/** The last line may be cut off; then nobody has read it. */
function wholeLines(said: string): string {
  return said.slice(0, said.lastIndexOf('\n') + 1)
}

/** Those that are not there with their cause and their evidence when the time is over. */
async function untilStored(pool: Pool, reported: ReadonlyMap<string, string>): Promise<readonly string[]> {
  const look = async (): Promise<readonly string[]> => {
    const { rows } = await pool.query<{ uid: string; cause: string | null }>(
      `select uid, cause from postmortems
       where exists (select from evidence where evidence.uid = postmortems.uid and source = 'kubernetes/pods.json' and content is not null)`,
    )
    const stored = new Map(rows.map(({ uid, cause }) => [uid, cause]))
    return [...reported].flatMap(([uid, cause]) => (stored.get(uid) === cause ? [] : [uid]))
  }
  const deadline = performance.now() + STORED_MS
  for (;;) {
    const missing = await look()
    if (missing.length === 0 || performance.now() > deadline) return missing
    await sleep(200)
  }
}
