import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '#/adapters/clock.ts'
import { listAt, textAt } from '#/core/basics/fields.ts'
import { serveGitHub } from '#/sim/github/serve-github.ts'
import type { ServedGitHub } from '#/sim/github/serve-github.ts'
import { createSimGitHub } from '#/sim/github/sim-github.ts'
import type { SimGitHub } from '#/sim/github/sim-github.ts'
import { BUSYBOX_IMAGE } from '#test/cluster/busybox-image.ts'
import { freePorts } from '#test/cluster/free-port.ts'
import { createNamespace } from '#test/cluster/pods.ts'
import { describeWithPrivateNode } from '#test/cluster/suites.ts'
import { until } from '#test/cluster/until.ts'
import { createObserver, readGrants } from '#test/collect/observer.ts'
import { usedBy } from '#test/deploy/rights.ts'
import { testDatabase } from '#test/postgres/test-database.ts'
import { startServe } from '#test/recorder/serve-process.ts'
import type { ServeProcess } from '#test/recorder/serve-process.ts'
import { STAND_IN_RUNNER, withRunnerSessions } from './runner-sessions.ts'

const CRD = resolve(import.meta.dirname, '..', '..', 'deploy', 'chart', 'crds', 'runnerpools.yaml')
const SECRET = 'a secret of the webhook of this test'
const TIMEOUT = { timeout: 900_000 }
const WAIT_MS = 300_000
const POOL_LABEL = 'signalbox.dev/pool'
const database = await testDatabase()

/** As the chart gives it to the server: what it watches, and what its own pools need. */
const READING = ['pods', 'events'].flatMap((resource) =>
  ['get', 'list', 'watch'].map((verb) => ({ group: '', resource, verb })),
)
const GRANTS = [
  ...READING,
  { group: '', resource: 'pods/log', verb: 'get' },
  { group: '', resource: 'nodes', verb: 'get' },
  ...['get', 'list', 'watch'].map((verb) => ({ group: 'actions.github.com', resource: 'ephemeralrunners', verb })),
  ...readGrants('../dispatch/role.yaml'),
  ...readGrants('../dispatch/clusterrole.yaml'),
]

type Deaths = {
  readonly deaths: readonly {
    readonly uid: string
    readonly pod: string
    readonly cause: string
    readonly kind: string
  }[]
}

describeWithPrivateNode('a pool of our own on a real node', (cluster) => {
  let folder = ''
  let namespace = ''
  let sim: SimGitHub
  let github: ServedGitHub
  let serve: ServeProcess
  let [port, started] = [0, 0]
  const took: string[] = []

  const step = (what: string): void => void took.push(`${((Date.now() - started) / 1000).toFixed(1)} s: ${what}`)
  const path = (rest: string): string => `/apis/signalbox.dev/v1alpha1/namespaces/${namespace}/runnerpools${rest}`
  const pods = async (): Promise<readonly unknown[]> =>
    listAt(
      await cluster().callOk({ path: `/api/v1/namespaces/${namespace}/pods?labelSelector=${POOL_LABEL}` }),
      'items',
    )
  const wait = async <T>(what: string, probe: () => Promise<T | undefined>): Promise<T> => {
    const explain = async (): Promise<string> =>
      `${serve.said()}\n${JSON.stringify(await pods(), null, 1).slice(0, 8000)}`
    const found = await until({ what, timeoutMs: WAIT_MS, explain, probe })
    step(what)
    return found
  }
  const start = async (): Promise<void> => {
    const account = { name: 'signalbox', namespace, grants: GRANTS, secretsIn: [], folder }
    const kubeconfig = await createObserver(cluster(), account)
    const args = [
      '--data',
      join(folder, 'data'),
      '--kubeconfig',
      kubeconfig,
      '-n',
      namespace,
      '--listen',
      `127.0.0.1:${port}`,
    ]
    serve = await startServe(args, database.connectionString, {
      SIGNALBOX_DISPATCH_ENABLED: 'true',
      SIGNALBOX_DISPATCH_URL: `http://127.0.0.1:${port}`,
      SIGNALBOX_GITHUB_BASE_URL: github.url,
      SIGNALBOX_GITHUB_OWNERS: 'acme/app',
      SIGNALBOX_GITHUB_TOKEN: sim.personalToken('acme'),
      SIGNALBOX_GITHUB_WEBHOOK_SECRET: SECRET,
    })
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'signalbox-first-job-'))
    ;[port = 0] = await freePorts(1)
    sim = createSimGitHub({
      clock: systemClock,
      webhook: {
        url: `http://127.0.0.1:${port}/webhooks/github`,
        secret: SECRET,
        deliver: async (url, headers, body) => {
          const answer = await fetch(url, { method: 'POST', headers, body })
          return { status: answer.status, body: await answer.text() }
        },
      },
    })
    sim.world.addOrganization('acme')
    sim.world.addRepository('acme/app')
    sim.install('acme')
    github = await serveGitHub(withRunnerSessions(sim))
    await cluster().kubectl(['apply', '-f', CRD])
    await cluster().kubectl(['wait', '--for=condition=Established', 'crd/runnerpools.signalbox.dev', '--timeout=120s'])
    namespace = await createNamespace(cluster(), 'own-pools')
    const script = { metadata: { name: 'stand-in' }, data: { 'run.sh': STAND_IN_RUNNER } }
    await cluster().callOk({ method: 'POST', path: `/api/v1/namespaces/${namespace}/configmaps`, body: script })
    await start()
  }, 900_000)
  afterAll(async () => {
    await serve?.stop('SIGTERM')
    await github?.stop()
    await rm(folder, { recursive: true, force: true })
  }, 180_000)

  const pool = (name: string, size: object, seconds: number) => ({
    apiVersion: 'signalbox.dev/v1alpha1',
    kind: 'RunnerPool',
    metadata: { name },
    spec: {
      labels: [name],
      github: { scope: 'repository', owner: 'acme', repositories: ['app'], credential: 'github-token' },
      size,
      template: {
        spec: {
          hostNetwork: true,
          containers: [
            {
              name: 'runner',
              image: BUSYBOX_IMAGE,
              imagePullPolicy: 'Never',
              env: [
                { name: 'GITHUB', value: github.url },
                { name: 'SECONDS_OF_WORK', value: String(seconds) },
              ],
              volumeMounts: [{ name: 'stand-in', mountPath: '/home/runner' }],
            },
          ],
          volumes: [{ name: 'stand-in', configMap: { name: 'stand-in', defaultMode: 0o755 } }],
        },
      },
    },
  })

  test('runs a job from the webhook to the end, and the death is one row', TIMEOUT, async () => {
    started = Date.now()
    const size = { warm: 1, max: 3, startTimeout: '5m', idleTimeout: '30m' }
    await cluster().callOk({ method: 'POST', path: path(''), body: pool('linux', size, 1) })
    step('the pool is applied')
    const warm = await wait('a warm pod polls with its own token', async () => {
      const status = (await cluster().callOk({ path: path('/linux') })) as {
        readonly status?: { readonly replicas?: { readonly idle?: number } }
      }
      const [first] = await pods()
      const metrics = await (await fetch(`${serve.url}/metrics`)).text()
      const isWaiting = /signalbox_dispatch_waiting\{[^}]*\} 1\b/.test(metrics)
      return (status.status?.replicas?.idle ?? 0) >= 1 && isWaiting && first !== undefined ? first : undefined
    })
    const job = sim.world.queueJob({ repository: 'acme/app', labels: ['self-hosted', 'linux'] })
    await sim.webhooks.flush()
    step('GitHub queued a job and sent the webhook')
    await wait('the runner took the job', async () => {
      const { status, runner } = sim.world.job(job.id) ?? {}
      return status !== 'queued' && runner !== null ? true : undefined
    })
    await wait('the job ended at GitHub', async () =>
      sim.world.job(job.id)?.status === 'completed' ? true : undefined,
    )
    const row = await wait('the end of the pod is one row', async () => {
      const answer = await fetch(`${serve.url}/v1/deaths`)
      const { deaths } = (await answer.json()) as Deaths
      return deaths.find(({ pod }) => pod === textAt(warm, 'metadata', 'name'))
    })
    expect(row).toMatchObject({ cause: 'completed-normally', kind: 'not-a-death' })
    expect(sim.world.job(job.id)).toMatchObject({ status: 'completed', conclusion: 'success' })
    await wait('the pod is gone, with its finalizer', async () => {
      const left = await pods()
      return left.some((one) => textAt(one, 'metadata', 'uid') === row.uid) ? undefined : true
    })
    await wait('another pod is warm', async () => ((await pods()).length === 1 ? true : undefined))
    expect(sim.world.runners()).toEqual([])
    process.stderr.write(`${took.join('\n')}\n`)
  })

  test(
    'a job whose pod is killed between claim and registration goes back to the queue and runs once',
    TIMEOUT,
    async () => {
      started = Date.now()
      took.length = 0
      const [before] = await pods()
      const name = textAt(before, 'metadata', 'name') ?? ''
      const job = sim.world.queueJob({ repository: 'acme/app', labels: ['self-hosted', 'linux'] })
      await sim.webhooks.flush()
      await cluster().kubectl(['delete', 'pod', name, '-n', namespace, '--force', '--grace-period=0', '--wait=false'])
      step('the pod was deleted by force')
      await wait('the job ended at GitHub', async () =>
        sim.world.job(job.id)?.status === 'completed' ? true : undefined,
      )
      const ended = sim.webhooks
        .log()
        .filter(({ event, action }) => event === 'workflow_job' && action === 'in_progress')
      expect(
        ended.filter(({ payload }) => textAt(payload, 'workflow_job', 'id') === String(job.id)).length,
      ).toBeLessThanOrEqual(1)
      process.stderr.write(`${took.join('\n')}\n`)
    },
  )

  test('is drained when it is deleted: nothing is left in the cluster or at GitHub', TIMEOUT, async () => {
    await cluster().callOk({ method: 'DELETE', path: path('/linux') })
    await wait('the pods are gone', async () => ((await pods()).length === 0 ? true : undefined))
    await wait('the pool is gone', async () => {
      const { status } = await cluster().call({ path: path('/linux') })
      return status === 404 ? true : undefined
    })
    expect(sim.world.runners().filter(({ online }) => online)).toEqual([])
  })

  test('needed the rights of deploy/dispatch, all of them and no others', async () => {
    const { refused } = await usedBy(cluster().auditLog, `system:serviceaccount:${namespace}:signalbox`)
    expect(refused).toEqual([])
  })
})
