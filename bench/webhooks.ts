import { createHmac, randomUUID } from 'node:crypto'
import { createRequire } from 'node:module'
import path from 'node:path'
import { Pool as PostgresPool } from 'pg'
import { Pool } from 'undici'
import { systemClock } from '#/adapters/clock.ts'
import { openPool } from '#/adapters/postgres/connection/pool.ts'
import { migrationsFolder } from '#/adapters/postgres/migrate-folder.ts'
import { migrate } from '#/adapters/postgres/migrate.ts'
import { median } from './measured.ts'
import type { Section } from './measured.ts'
import { start, stop, untilTrue } from './running.ts'

const ROUNDS = 3
const DELIVERIES = 4000
const AT_ONCE = 32
const SECRET = 'It is a secret to everybody'
const RECEIVERS = ['signalbox', 'octokit'] as const
const NAMES = { signalbox: 'signalbox', octokit: '@octokit/webhooks, as in probot' }

type Definition = { readonly name: string; readonly examples: readonly object[] }
const definitions = createRequire(import.meta.url)('@octokit/webhooks-examples') as readonly Definition[]
const example = JSON.stringify(definitions.find(({ name }) => name === 'workflow_job')?.examples[4])
const signature = `sha256=${createHmac('sha256', SECRET).update(example).digest('hex')}`

/** GitHub's own example, verified and stored in the same table over real HTTP, by each receiver in turns. */
export async function webhooks(server: string): Promise<readonly Section[]> {
  const rates = { signalbox: [] as number[], octokit: [] as number[] }
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const receiver of RECEIVERS) {
      console.error(`round ${round + 1} of ${ROUNDS}: ${receiver}`)
      rates[receiver].push(await measureRate(receiver, await freshDatabase(server, `webhooks_${receiver}_${round}`)))
    }
  }
  const [ours, theirs] = [median(rates.signalbox), median(rates.octokit)]
  return [
    {
      title: `Webhooks per second, verified and stored; ${DELIVERIES} of ${example.length} bytes, ${AT_ONCE} at once, median of ${ROUNDS}`,
      rows: RECEIVERS.map((receiver) => ({
        what: NAMES[receiver],
        value: `${median(rates[receiver]).toFixed(0)}/s`,
        note: receiver === 'signalbox' ? `${(ours / theirs).toFixed(2)} × the peer (goal: 3)` : '',
      })),
    },
  ]
}

async function measureRate(receiver: string, database: string): Promise<number> {
  const program = path.join(import.meta.dirname, 'webhook-server.ts')
  const { child, url, said } = start(process.execPath, [program, receiver, database, SECRET], {})
  try {
    await untilTrue(async () => url() !== null, said)
    const client = new Pool(url() ?? '', { connections: AT_ONCE })
    await send(client, DELIVERIES / 4)
    const startedAt = performance.now()
    await send(client, DELIVERIES)
    const seconds = (performance.now() - startedAt) / 1000
    await client.close()
    return DELIVERIES / seconds
  } finally {
    await stop(child)
  }
}

async function send(client: Pool, count: number): Promise<void> {
  let left = count
  const lane = async (): Promise<void> => {
    while (left > 0) {
      left -= 1
      const headers = {
        'content-type': 'application/json',
        'x-github-delivery': randomUUID(),
        'x-github-event': 'workflow_job',
        'x-hub-signature-256': signature,
      }
      const { statusCode, body } = await client.request({
        method: 'POST',
        path: '/webhooks/github',
        headers,
        body: example,
      })
      if (statusCode >= 300) throw new Error(`${statusCode}: ${await body.text()}`)
      await body.dump()
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, lane))
}

async function freshDatabase(server: string, name: string): Promise<string> {
  const admin = new PostgresPool({ connectionString: server, max: 1 })
  await admin.query(`create database ${name}`)
  await admin.end()
  const url = new URL(server)
  url.pathname = `/${name}`
  const pool = openPool({ connectionString: url.href })
  await migrate({ pool, folder: migrationsFolder(), clock: systemClock, signal: new AbortController().signal })
  await pool.end()
  return url.href
}
