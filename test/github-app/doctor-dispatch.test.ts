import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { systemClock } from '#/adapters/clock.ts'
import type { ServedGitHub } from '#/sim/github/serve-github.ts'
import { serveGitHub } from '#/sim/github/serve-github.ts'
import type { SimGitHub } from '#/sim/github/sim-github.ts'
import { createSimGitHub } from '#/sim/github/sim-github.ts'
import { runInProcess } from '#test/cli/run-in-process.ts'

vi.setConfig({ testTimeout: 60_000 })

let folder: string
let sim: SimGitHub
let served: ServedGitHub
let answer: number

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-github-app-'))
  answer = 202
  sim = createSimGitHub({
    clock: systemClock,
    webhook: { url: 'https://ci.example.com', secret: 's', deliver: async () => ({ status: answer }) },
  })
  sim.world.addOrganization('acme')
  sim.world.addRepository('acme/app')
  sim.install('acme', { permissions: { metadata: 'read', actions: 'read', administration: 'read' } })
  served = await serveGitHub(sim.fetch)
  await writeFile(join(folder, 'app.pem'), sim.keys.privateKeyPem)
  await writeFile(
    join(folder, 'pool.yaml'),
    `apiVersion: signalbox.dev/v1alpha1
kind: RunnerPool
metadata: { name: linux, namespace: runners }
spec:
  labels: [linux]
  github: { owner: acme, repositories: [app], credential: github-app }
  size: { warm: 0, max: 2 }
  template: { spec: { containers: [{ name: runner, image: runner }] } }
`,
  )
  await writeFile(
    join(folder, 'signalbox.yaml'),
    `databaseUrl: postgres://nobody@127.0.0.1:1/x
dispatch: { enabled: true, url: https://signalbox.example, pools: pool.yaml }
github: { baseUrl: "${served.url}", app: { id: ${sim.app.id}, privateKeyFile: app.pem } }
`,
  )
})

afterAll(async () => {
  await served.stop()
  await rm(folder, { recursive: true, force: true })
})

async function doctor() {
  const { stdout } = await runInProcess(['doctor', '-o', 'json', '--config', join(folder, 'signalbox.yaml')])
  const { checks } = JSON.parse(stdout) as {
    readonly checks: readonly { readonly id: string; readonly status: string; readonly detail: string }[]
  }
  return Object.fromEntries(checks.map(({ id, status, detail }) => [id, `${status}: ${detail}`]))
}

describe('signalbox doctor with dispatch.enabled', () => {
  it('shows what GitHub knows of the App, its pools and its webhook', async () => {
    sim.world.queueJob({ repository: 'acme/app', labels: ['linux'] })
    await sim.webhooks.flush()
    answer = 401
    sim.world.queueJob({ repository: 'acme/app', labels: ['linux'] })
    await sim.webhooks.flush()
    expect(await doctor()).toMatchObject({
      'runner-pools': 'ok: 1 pool',
      'dispatch-rights': 'skip: cannot reach the cluster',
      'pool-permissions': 'fail: acme/app: administration=write is missing',
      'webhook-secret': 'fail: github.webhookSecret is not set',
      'webhook-events': 'ok: the App is subscribed to workflow_job',
      'webhook-deliveries': expect.stringMatching(/^warn: \d of \d in the last hour failed: \S+ \(401 /) as string,
    })
  })
})
