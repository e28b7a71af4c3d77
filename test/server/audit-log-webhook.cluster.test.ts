import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { createAuditLogReceiver } from '#/adapters/audit-log/audit-log-receiver.ts'
import { systemClock } from '#/adapters/clock.ts'
import { openTokenFile } from '#/adapters/files/token-file.ts'
import { readAuditLogLine } from '#/core/kubernetes/audit-log-facts.ts'
import { createMetrics } from '#/runtime/metrics/metrics.ts'
import { createApp } from '#/server/app.ts'
import { auditLogWebhook } from '#/server/audit-log-webhook.ts'
import { webhookGuard } from '#/server/access/auth-webhook.ts'
import { certificateFiles } from '#/adapters/files/certificate-files.ts'
import { listen } from '#/server/listen.ts'
import { describeWithApiServer } from '#test/cluster/suites.ts'
import { until } from '#test/cluster/until.ts'
import { makeSigned } from './signed-certificate.ts'

const folder = await mkdtemp(join(tmpdir(), 'signalbox-webhook-'))
const tokenFile = join(folder, 'token')
await writeFile(tokenFile, 'a-token-of-more-than-24-characters\n')
const { caFile, ...tls } = await makeSigned(folder, 'audit', 'IP:127.0.0.1')
const receiver = createAuditLogReceiver(new Set(['default']), systemClock)
receiver.open()
const webhook = auditLogWebhook({
  guard: webhookGuard({
    token: openTokenFile(tokenFile),
    peerAddress: () => null,
    clock: systemClock,
  }),
  take: receiver.take,
  received: () => {},
})
const app = createApp({
  version: '1',
  metrics: createMetrics(),
  readiness: [],
  log: { error: () => {} },
  routes: [{ path: '/v1/audit', handler: webhook }],
})
const listening = await listen(app, { host: '127.0.0.1', port: 0 }, certificateFiles(tls))
if (listening.kind === 'refused') throw new Error(listening.why)

afterAll(async () => {
  await listening.close()
  await rm(folder, { recursive: true })
})

/** As docs/deaths.md describes it; JSON is YAML. */
const webhookFile = join(folder, 'webhook.json')
await writeFile(
  webhookFile,
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      { name: 'signalbox', cluster: { server: `${listening.url}/v1/audit`, 'certificate-authority': caFile } },
    ],
    users: [{ name: 'signalbox', user: { tokenFile } }],
    contexts: [{ name: 'signalbox', context: { cluster: 'signalbox', user: 'signalbox' } }],
    'current-context': 'signalbox',
  }),
)

const POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a', namespace: 'default' },
  spec: { containers: [{ name: 'runner', image: 'x', env: [{ name: 'JIT', value: 'a-jit-configuration' }] }] },
}

async function readReceived(): Promise<{ from: number; to: number; texts: readonly string[] } | null> {
  const scope = { namespaces: null, nodes: null, window: { from: 0, to: null } }
  const texts: string[] = []
  let covered: { from: number; to: number } | null = null
  for await (const event of receiver.lines(new AbortController().signal, scope)) {
    if (event.kind === 'looking') covered = { from: event.from, to: event.to ?? Infinity }
    else if (event.kind === 'line') texts.push(event.text)
  }
  return covered === null ? null : { ...covered, texts }
}

describeWithApiServer(
  'the audit webhook of a real API server',
  (cluster) => {
    it('reports who deleted a pod and how, without the content of the pod', { timeout: 400_000 }, async () => {
      const started = Date.now()
      const path = '/api/v1/namespaces/default/pods'
      const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } }
      await cluster().call({ method: 'POST', path: '/api/v1/namespaces/default/serviceaccounts', body: account })
      await cluster().callOk({ method: 'POST', path, body: POD })
      await cluster().kubectl(['delete', 'pod', 'a', '--grace-period=0', '--force', '--wait=false'])
      const isDelete = (text: string): boolean => readAuditLogLine(JSON.parse(text))?.verb === 'delete'
      const probe = async () => {
        const received = await readReceived()
        return received?.texts.some(isDelete) === true ? received : undefined
      }
      const { from, to, texts } = await until({ what: 'the delete to be sent', timeoutMs: 240_000, probe })
      expect(readAuditLogLine(JSON.parse(texts.find(isDelete) ?? ''))).toMatchObject({
        namespace: 'default',
        name: 'a',
        user: expect.stringMatching(/\w/) as string,
        status: 200,
        graceSeconds: 0,
      })
      expect(texts.join('')).not.toContain('a-jit-configuration')
      expect(from).toBeLessThanOrEqual(to)
      expect(to).toBeGreaterThan(started - 60_000)
    })
  },
  { apiServerFlags: [`--audit-webhook-config-file=${webhookFile}`, '--audit-webhook-batch-max-wait=1s'] },
)
