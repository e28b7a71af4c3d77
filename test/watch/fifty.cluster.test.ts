import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Pod, PodList } from 'kubernetes-types/core/v1.d.ts'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startAgent } from '#test/agent/agent-process.ts'
import type { AgentProcess } from '#test/agent/agent-process.ts'
import { startServe } from '#test/recorder/serve-process.ts'
import type { ServeProcess } from '#test/recorder/serve-process.ts'
import type { NodeCluster } from '#test/cluster/cluster.ts'
import { freePorts } from '#test/cluster/free-port.ts'
import { busyboxPod, createNamespace, createPod, podPath } from '#test/cluster/pods.ts'
import type { PodName } from '#test/cluster/pods.ts'
import { describeOnSharedNode } from '#test/cluster/suites.ts'
import { ask } from '#test/postgres/ask.ts'
import { testDatabase } from '#test/postgres/test-database.ts'
import { askServe, readEvidence, expectNothingEmpty, untilRecorded } from './serve-deaths.ts'

const { connectionString } = await testDatabase()

const TIMEOUT = { timeout: 1_800_000 }
const PATIENT = { timeout: 900_000, interval: 200 }
const COUNT = 50
const NOW = '$(date -u +%Y-%m-%d\\ %H:%M:%SZ)'

/** Real containers that log like a busy runner. */
async function workingRunners(cluster: NodeCluster, namespace: string): Promise<readonly PodName[]> {
  const pods = Array.from({ length: COUNT }, (_, index) => ({ namespace, name: `linux-abc-runner-${index}` }))
  await Promise.all(
    pods.map(({ name }) => {
      const script = `echo "${NOW}: Running job: build of ${name}"; exec sleep 600`
      const metadata = { name, namespace, labels: { 'actions.github.com/scale-set-name': 'linux' } }
      return createPod(cluster, busyboxPod({ name, namespace, script, metadata, container: { name: 'runner' } }))
    }),
  )
  // One request for all of them: fifty pollers would overload the node.
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
  const evidence = await readEvidence(serve, uid)
  expectNothingEmpty(evidence)
  const log = evidence.find(({ source }) => source.startsWith(`logs/${pod.namespace}/${pod.name}/runner`))
  expect(log === undefined ? [] : [log.observed]).toEqual([expect.stringMatching(/^(?:seen|blind)$/)])
  expect(evidence.map(({ source }) => source)).toContain('kubernetes/pods.json')
  return missed
}

/** One after the other: fifty pollers would overload the server. */
async function allWhole(serve: ServeProcess, pods: readonly PodName[]): Promise<readonly boolean[]> {
  const missed: boolean[] = []
  for (const pod of pods) missed.push(await expectWhole(serve, pod))
  return missed
}

describeOnSharedNode('fifty working runners that somebody removes by force at once', (cluster) => {
  const cleanups: (() => PromiseLike<unknown>)[] = []
  let args: readonly string[]
  let agentArgs: readonly string[]

  beforeEach(async () => {
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
  })
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
  })

  /** A new one for each test holds only the logs of its pods. */
  const attending = (): AgentProcess => {
    const agent = startAgent(agentArgs)
    cleanups.push(() => agent.stop('SIGKILL'))
    return agent
  }

  /** Other files have runners on the same node. */
  const serving = async (namespace: string): Promise<ServeProcess> => {
    const serve = await startServe([...args, '-n', namespace], connectionString)
    cleanups.push(() => serve.stop('SIGKILL'))
    return serve
  }

  test('give fifty deaths, each with its last object and its log', TIMEOUT, async () => {
    const agent = attending()
    const namespace = await createNamespace(cluster(), 'runners')
    const serve = await serving(namespace)
    const pods = await workingRunners(cluster(), namespace)
    await untilHeld(serve)
    await removeAll(cluster(), pods)
    expect(await allWhole(serve, pods)).not.toContain(true)
    await serve.stop('SIGTERM')
    await agent.stop('SIGTERM')
  })

  test('give fifty deaths even if serve is killed in the middle and restarted', TIMEOUT, async () => {
    attending()
    const namespace = await createNamespace(cluster(), 'runners')
    const first = await serving(namespace)
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
    const second = await serving(namespace)
    await allWhole(second, pods)
    await second.stop('SIGTERM')
  })
})

/** Until the agent holds the log of each, so that it outlives its pod. */
async function untilHeld(serve: ServeProcess): Promise<void> {
  await vi.waitFor(async () => {
    const text = await (await askServe(serve, '/metrics')).text()
    const held = /^signalbox_node_agent_held_logs\S* (\d+)$/m.exec(text)?.[1]
    expect(Number(held)).toBeGreaterThanOrEqual(COUNT)
  }, PATIENT)
}

/** The pods that the next server would report as missed. */
async function sighted(namespace: string): Promise<number> {
  return (await ask(connectionString, `select 1 from sightings where namespace = '${namespace}'`)).length
}

async function recorded(serve: ServeProcess): Promise<number> {
  const { deaths } = (await (await askServe(serve, '/v1/deaths?limit=1000')).json()) as { readonly deaths: unknown[] }
  return deaths.length
}
