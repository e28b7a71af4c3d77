import { Pool } from 'pg'

import { median } from './measured.ts'
import type { Section } from './measured.ts'
import { graphileWorker } from './peers/graphile-worker.ts'
import { pgBoss } from './peers/pg-boss.ts'
import { BATCH } from './peers/peer.ts'
import type { Peer } from './peers/peer.ts'
import { signalbox } from './peers/signalbox.ts'

const JOBS = 20_000
const ROUNDS = 3

const PEERS: readonly Peer[] = [signalbox, graphileWorker, pgBoss]

/** Each peer on a database of its own, on the same server, in turns. */
export async function claims(server: string): Promise<Section> {
  const rates = PEERS.map((): number[] => [])
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [index, peer] of PEERS.entries()) {
      console.error(`claims: round ${round + 1} of ${ROUNDS}, ${peer.name}`)
      rates[index]?.push(await rateOf(peer, await freshDatabase(server, `bench_${round}_${index}`)))
    }
  }
  const medians = rates.map((values) => median(values))
  const fastestPeer = Math.max(...medians.slice(1))
  return {
    title: `Claims per second, ${JOBS} jobs, ${BATCH} waiting slots a transaction, median of ${ROUNDS}`,
    rows: PEERS.map(({ name }, index) => {
      const rate = medians[index] ?? Number.NaN
      const note = index === 0 ? `${(rate / fastestPeer).toFixed(1)} × the faster peer (goal: 2)` : ''
      return { what: name, value: `${rate.toFixed(0)}/s`, note }
    }),
  }
}

async function rateOf(peer: Peer, database: string): Promise<number> {
  const prepared = await peer.prepare(database, JOBS)
  const start = performance.now()
  const given = await prepared.claimAll()
  const seconds = (performance.now() - start) / 1000
  await prepared.close()
  if (given !== JOBS) throw new Error(`${peer.name} gave ${given} of ${JOBS} jobs`)
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
