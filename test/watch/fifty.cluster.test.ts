import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startAgent } from '#test/agent/agent-process.ts'
import { startServe } from '#test/capture/serve-process.ts'
import type { ServeProcess } from '#test/capture/serve-process.ts'
import type { NodeCluster } from '#test/cluster/cluster.ts'
import { freePorts } from '#test/cluster/free-port.ts'
import { busyboxPod, createNamespace, createPod, podPath, untilPhase } from '#test/cluster/pods.ts'
import type { PodName } from '#test/cluster/pods.ts'
import { describeWithNode } from '#test/cluster/suites.ts'
import { testDatabase } from '#test/postgres/test-database.ts'
import { askServe, evidenceOf, expectNothingEmpty, untilRecorded } from './stage.ts'

const { connectionString } = await testDatabase()

const TIMEOUT = { timeout: 400_000 }
const COUNT = 50
const NOW = '$(date -u +%Y-%m-%d\\ %H:%M:%SZ)'

/** Real containers that are at work, as a runner says it. */
async function workingRunners(cluster: NodeCluster, namespace: string): Promise<readonly PodName[]> {
  const pods = Array.from({ length: COUNT }, (_, index) => ({ namespace, name: `linux-abc-runner-${index}` }))
  await Promise.all(
    pods.map(({ name }) => {
      const script = `echo "${NOW}: Running job: build of ${name}"; exec sleep 600`
      const metadata = { name, namespace, labels: { 'actions.github.com/scale-set-name': 'linux' } }
      return createPod(cluster, busyboxPod({ name, namespace, script, metadata, container: { name: 'runner' } }))
    }),
  )
  await Promise.all(pods.map((pod) => untilPhase(cluster, pod, 'Running')))
  return pods
}

const removeAll = (cluster: NodeCluster, pods: readonly PodName[]) =>
  Promise.all(pods.map((pod) => cluster.callOk({ method: 'DELETE', path: `${podPath(pod)}?gracePeriodSeconds=0` })))

/** The last object, and the log of each container or the reason why there is none. */
async function expectWhole(serve: ServeProcess, pod: PodName): Promise<boolean> {
  const { uid, missed } = await untilRecorded(serve, pod)
  const evidence = await evidenceOf(serve, uid)
  expectNothingEmpty(evidence)
  const log = evidence.find(({ source }) => source.startsWith(`logs/${pod.namespace}/${pod.name}/runner`))
  expect(log === undefined ? [] : [log.observed]).toEqual([expect.stringMatching(/^(?:seen|blind)$/)])
  expect(evidence.map(({ source }) => source)).toContain('kubernetes/pods.json')
  return missed
}

describeWithNode('fifty working runners that somebody removes by force at once', (cluster) => {
  const cleanups: (() => PromiseLike<unknown>)[] = []
  let args: readonly string[]

  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'signalbox-fifty-'))
    cleanups.push(() => rm(folder, { recursive: true }))
    const tokenFile = join(folder, 'token')
    await writeFile(tokenFile, randomUUID())
    const [port = 0] = await freePorts(1)
    const where = ['--listen', `127.0.0.1:${port}`, '--data', folder, '--agent-token-file', tokenFile]
    args = ['--kubeconfig', cluster().kubeconfig, '--audit-log', cluster().auditLog, ...where]
    const { name, podLogs } = cluster().node
    const asked = ['--server', `http://127.0.0.1:${port}`, '--node', name, '--token-file', tokenFile]
    const agent = startAgent([...asked, '--pod-logs', podLogs])
    cleanups.push(() => agent.stop('SIGKILL'))
  }, 60_000)
  afterAll(async () => {
    for (const cleanup of cleanups.toReversed()) await cleanup()
  }, 60_000)

  const serving = async (): Promise<ServeProcess> => {
    const serve = await startServe(args, connectionString)
    cleanups.push(() => serve.stop('SIGKILL'))
    return serve
  }

  test('are fifty post-mortems, each with its last object and its log', TIMEOUT, async () => {
    const serve = await serving()
    const pods = await workingRunners(cluster(), await createNamespace(cluster(), 'runners'))
    await removeAll(cluster(), pods)
    const missed = await Promise.all(pods.map((pod) => expectWhole(serve, pod)))
    expect(missed).not.toContain(true)
    await serve.stop('SIGTERM')
  })

  test('are fifty also where serve is killed in the middle and started again', TIMEOUT, async () => {
    const first = await serving()
    const namespace = await createNamespace(cluster(), 'runners')
    const pods = await workingRunners(cluster(), namespace)
    await vi.waitFor(async () => expect(await watched(first)).toBe(COUNT), { timeout: 60_000, interval: 200 })
    const before = await recorded(first)
    const removing = removeAll(cluster(), pods)
    await vi.waitFor(async () => expect(await recorded(first)).toBeGreaterThan(before), {
      timeout: 60_000,
      interval: 20,
    })
    await first.stop('SIGKILL')
    await removing
    const second = await serving()
    await Promise.all(pods.map((pod) => expectWhole(second, pod)))
    await second.stop('SIGTERM')
  })
})

async function watched(serve: ServeProcess): Promise<number> {
  const text = await (await askServe(serve, '/metrics')).text()
  return Number(/^signalbox_watched_pods (\d+)$/m.exec(text)?.[1])
}

async function recorded(serve: ServeProcess): Promise<number> {
  const { deaths } = (await (await askServe(serve, '/v1/deaths?limit=1000')).json()) as { readonly deaths: unknown[] }
  return deaths.length
}
