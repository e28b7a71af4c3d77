import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Pod, PodList } from 'kubernetes-types/core/v1.d.ts'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startAgent } from '#test/agent/agent-process.ts'
import type { AgentProcess } from '#test/agent/agent-process.ts'
import { startServe } from '#test/recorder/serve-process.ts'
import type { ServeProcess } from '#test/recorder/serve-process.ts'
import type { NodeCluster } from '#test/cluster/cluster.ts'
import { freePorts } from '#test/cluster/free-port.ts'
import { busyboxPod, createNamespace, createPod, podPath } from '#test/cluster/pods.ts'
import type { PodName } from '#test/cluster/pods.ts'
import { describeWithNode } from '#test/cluster/suites.ts'
import { ask } from '#test/postgres/ask.ts'
import { testDatabase } from '#test/postgres/test-database.ts'
import { askServe, evidenceOf, expectNothingEmpty, untilRecorded } from './stage.ts'

const { connectionString } = await testDatabase()

const TIMEOUT = { timeout: 900_000 }
const PATIENT = { timeout: 300_000, interval: 200 }
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
  // One question for all of them: fifty that ask on and on would keep the node from its work.
  const isRunning = ({ status }: Pod): boolean => status?.phase === 'Running'
  await vi.waitFor(async () => {
    const { items } = (await cluster.callOk({ path: `/api/v1/namespaces/${namespace}/pods` })) as PodList
    expect(items.filter(isRunning)).toHaveLength(COUNT)
  }, PATIENT)
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
  let agentArgs: readonly string[]

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
    agentArgs = [...asked, '--pod-logs', podLogs]
  }, 60_000)
  afterAll(async () => {
    for (const cleanup of cleanups.toReversed()) await cleanup()
  }, 60_000)

  /** A new one for each test holds only the logs of its pods. */
  const attending = (): AgentProcess => {
    const agent = startAgent(agentArgs)
    cleanups.push(() => agent.stop('SIGKILL'))
    return agent
  }

  const serving = async (): Promise<ServeProcess> => {
    const serve = await startServe(args, connectionString)
    cleanups.push(() => serve.stop('SIGKILL'))
    return serve
  }

  test('are fifty deaths, each with its last object and its log', TIMEOUT, async () => {
    const agent = attending()
    const serve = await serving()
    const pods = await workingRunners(cluster(), await createNamespace(cluster(), 'runners'))
    await untilHeld(serve)
    await removeAll(cluster(), pods)
    const missed = await Promise.all(pods.map((pod) => expectWhole(serve, pod)))
    expect(missed).not.toContain(true)
    await serve.stop('SIGTERM')
    await agent.stop('SIGTERM')
  })

  test('are fifty also where serve is killed in the middle and started again', TIMEOUT, async () => {
    attending()
    const first = await serving()
    const namespace = await createNamespace(cluster(), 'runners')
    const pods = await workingRunners(cluster(), namespace)
    await untilHeld(first)
    await vi.waitFor(async () => expect(await sighted(namespace)).toBe(COUNT), PATIENT)
    const before = await recorded(first)
    const removing = removeAll(cluster(), pods)
    await vi.waitFor(async () => expect(await recorded(first)).toBeGreaterThan(before), {
      ...PATIENT,
      interval: 20,
    })
    await first.stop('SIGKILL')
    await removing
    const second = await serving()
    await Promise.all(pods.map((pod) => expectWhole(second, pod)))
    await second.stop('SIGTERM')
  })
})

/** Until the agent has the log of each in its hands, so that it outlives its pod. */
async function untilHeld(serve: ServeProcess): Promise<void> {
  await vi.waitFor(async () => {
    const text = await (await askServe(serve, '/metrics')).text()
    const held = /^signalbox_node_agent_held_logs\S* (\d+)$/m.exec(text)?.[1]
    expect(Number(held)).toBeGreaterThanOrEqual(COUNT)
  }, PATIENT)
}

/** Those whom the next server would miss. */
async function sighted(namespace: string): Promise<number> {
  return (await ask(connectionString, `select 1 from sightings where namespace = '${namespace}'`)).length
}

async function recorded(serve: ServeProcess): Promise<number> {
  const { deaths } = (await (await askServe(serve, '/v1/deaths?limit=1000')).json()) as { readonly deaths: unknown[] }
  return deaths.length
}
