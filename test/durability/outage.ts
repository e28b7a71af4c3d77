import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '#test/cluster/until.ts'
import type { ServeProcess } from '#test/recorder/serve-process.ts'
import type { PostgresStore } from '#test/store/open-postgres-store.ts'
import type { SimulatedCluster } from './simulated-cluster.ts'

/** Runners that die one after the other, until it is stopped. */
export type Dying = {
  /** Resolves when the last of them has died, with their UIDs. */
  readonly stop: () => Promise<readonly string[]>
  readonly count: () => number
}

export function keepDying(cluster: SimulatedCluster, prefix: string, perSecond: number): Dying {
  const over = new AbortController()
  const deaths: Promise<string>[] = []
  const running = (async () => {
    while (!over.signal.aborted) {
      deaths.push(cluster.live(`${prefix}-${deaths.length}`))
      await sleep(1000 / perSecond)
    }
  })()
  return {
    count: () => deaths.length,
    stop: async () => {
      over.abort()
      await running
      return Promise.all(deaths)
    },
  }
}

const SAID_MS = 120_000

export async function untilSaid({ said }: ServeProcess, words: string, times = 1): Promise<void> {
  const probe = async () => (said().split(words).length > times ? true : undefined)
  await until({ what: `serve to say: ${words}`, timeoutMs: SAID_MS, probe, explain: async () => said() })
}

/** How often each death was reported, by UID. */
export function countReports(...logs: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const log of logs) {
    for (const [, uid = ''] of log.matchAll(/ a runner died .*?\buid=(\S+) /g))
      counts.set(uid, (counts.get(uid) ?? 0) + 1)
  }
  return counts
}

const STORED_MS = 120_000

/** When all are stored and judged, or when the time is over: those that are not. */
export async function untilJudged({ pool }: PostgresStore, uids: readonly string[]): Promise<readonly string[]> {
  const deadline = performance.now() + STORED_MS
  for (;;) {
    const { rows } = await pool.query<{ uid: string }>('select uid from postmortems where cause is not null')
    const judged = new Set(rows.map(({ uid }) => uid))
    const missing = uids.filter((uid) => !judged.has(uid))
    if (missing.length === 0 || performance.now() > deadline) return missing
    await sleep(200)
  }
}

/** What is wrong with a stored death; null where it is judged once, with the pod as it died and the line of its log. */
export async function findFault({ store }: PostgresStore, uid: string): Promise<string | null> {
  const stored = await store.deaths.get(uid)
  if (stored === null) return `${uid}: not stored`
  const { cause } = stored.death.verdict ?? {}
  if (cause !== 'oom-container') return `${uid}: judged ${cause}`
  if (stored.death.missed) return `${uid}: missed`
  if ((await store.deaths.history(uid)).length > 0) return `${uid}: judged twice`
  const read = (path: string): string =>
    Buffer.from(stored.evidence.find(({ source }) => source === path)?.content ?? []).toString()
  if (!read('kubernetes/pods.json').includes('OOMKilled')) return `${uid}: without its pod`
  const log = `logs/runners/${stored.death.pod}/runner.log`
  return read(log).includes(`I am ${uid}`) ? null : `${uid}: without its log`
}
