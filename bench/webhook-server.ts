import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createNodeMiddleware, Webhooks } from '@octokit/webhooks'
import { systemClock } from '#/adapters/clock.ts'
import { verifySignature } from '#/adapters/github/webhook-signature.ts'
import { openPool } from '#/adapters/postgres/connection/pool.ts'
import { postgresStore } from '#/adapters/postgres/store.ts'
import { postgresWakeups } from '#/adapters/postgres/wakeups.ts'
import { Secret } from '#/core/basics/secret.ts'
import { createMetrics } from '#/runtime/metrics/metrics.ts'
import { createApp } from '#/server/app.ts'
import { listen } from '#/server/listen.ts'
import { githubWebhook } from '#/server/webhooks/github-webhook.ts'

/** One of the two receivers in a process of its own: `node webhook-server.ts signalbox|octokit DATABASE_URL SECRET`. */
const [kind = '', connectionString = '', secret = ''] = process.argv.slice(2)
const pool = openPool({ connectionString, maxConnections: 8 })
const { deliveries } = postgresStore({ pool, wakeups: postgresWakeups({ connectionString, clock: systemClock }) })

async function serveOurs(): Promise<string> {
  const secrets = [new Secret('webhook', secret)]
  const handler = githubWebhook({
    isSigned: (body, signature) => verifySignature(secrets, body, signature) === 'valid',
    record: deliveries.record,
    clock: systemClock,
    stored: () => {},
    counted: () => {},
    storeFailed: (why) => console.error(why),
  })
  const routes = [{ path: '/webhooks/github', handler }]
  const app = createApp({ version: 'bench', metrics: createMetrics(), readiness: [], log: console, routes })
  const listening = await listen(app, { host: '127.0.0.1', port: 0 })
  if (listening.kind === 'refused') throw new Error(listening.why)
  return listening.url
}

/** Probot's own server gives requests to this middleware; its handlers are called with the parsed payload. */
async function servePeer(): Promise<string> {
  const webhooks = new Webhooks({ secret })
  webhooks.on('workflow_job', async ({ id, name, payload }) => {
    const job = payload.workflow_job.id
    const body = JSON.stringify(payload)
    const repository = payload.repository.full_name
    await deliveries.record({ guid: id, event: name, receivedAt: Date.now(), job, repository, body })
  })
  const handle = createNodeMiddleware(webhooks, { path: '/webhooks/github' })
  const server = createServer((request, response) => void handle(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

console.error(`listening ${await (kind === 'signalbox' ? serveOurs() : servePeer())}`)
process.once('SIGINT', () => process.exit(0))
