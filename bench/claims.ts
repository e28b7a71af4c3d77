import { Pool } from 'pg'

import { median } from './measured.ts'
import type { Section } from './measured.ts'
import { graphileWorker, graphileWorkerOneByOne } from './peers/graphile-worker.ts'
import { pgBoss, pgBossOneByOne } from './peers/pg-boss.ts'
import { BATCH } from './peers/peer.ts'
import type { Peer } from './peers/peer.ts'
import { signalbox } from './peers/signalbox.ts'

const ROUNDS = 3

type Contest = {
  readonly title: string
  readonly jobs: number
  /** Ours first. */
  readonly peers: readonly Peer[]
}

const CONTESTS: readonly Contest[] = [
  {
    title: `Claims per second, ${BATCH} consumers that wait for one job each`,
    jobs: 5_000,
    peers: [signalbox, graphileWorkerOneByOne, pgBossOneByOne],
  },
  {
    title: `Claims per second, the peers in batches of ${BATCH}; ours also writes the slot and the history`,
    jobs: 20_000,
    peers: [signalbox, graphileWorker, pgBoss],
  },
]

/** Each peer on a database of its own, on the same server, in turns. */
export async function claims(server: string): Promise<readonly Section[]> {
  const sections: Section[] = []
  for (const [index, contest] of CONTESTS.entries()) sections.push(await hold(contest, server, `bench_${index}`))
  return sections
}

async function hold({ title, jobs, peers }: Contest, server: string, prefix: string): Promise<Section> {
  const rates = peers.map((): number[] => [])
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [index, peer] of peers.entries()) {
      console.error(`round ${round + 1} of ${ROUNDS}: ${peer.name}`)
      const database = await freshDatabase(server, `${prefix}_${round}_${index}`)
      rates[index]?.push(await measureRate(peer, database, jobs))
    }
  }
  const medians = rates.map((values) => median(values))
  const fastestPeer = Math.max(...medians.slice(1))
  return {
    title: `${title}; ${jobs} jobs, median of ${ROUNDS}`,
    rows: peers.map(({ name }, index) => {
      const rate = medians[index] ?? Number.NaN
      const note = index === 0 ? `${(rate / fastestPeer).toFixed(2)} × the faster peer (goal: 2)` : ''
      return { what: name, value: `${rate.toFixed(0)}/s`, note }
    }),
  }
}

async function measureRate(peer: Peer, database: string, jobs: number): Promise<number> {
  const prepared = await peer.prepare(database, jobs)
  const start = performance.now()
  const given = await prepared.claimAll()
  const seconds = (performance.now() - start) / 1000
  await prepared.close()
  if (given !== jobs) throw new Error(`${peer.name} gave ${given} of ${jobs} jobs`)
  return given / seconds
}

async function freshDatabase(server: string, name: string): Promise<string> {
  const pool = new Pool({ connectionString: server, max: 1 })
  await pool.query(`create database ${name}`)
  await pool.end()
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}
