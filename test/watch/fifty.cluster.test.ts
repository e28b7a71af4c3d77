import { randomUUID } from 'node:crypto'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Pod, PodList } from 'kubernetes-types/core/v1.d.ts'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { setTimeout as sleep } from 'node:timers/promises'
import { isJudged } from '#/core/recorder/death.ts'
import type { Death } from '#/core/recorder/death.ts'
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
import { askServe, readEvidence, expectNothingEmpty } from './serve-deaths.ts'

const { connectionString } = await testDatabase()

const TIMEOUT = { timeout: 1_800_000 }
const PATIENT = { timeout: 900_000, interval: 200 }
const COUNT = 50
const MOST_WITHOUT_ACTOR = 2
const MOST_WITHOUT_JOURNAL = 2
/** A measurement: with programs that want all of both cores, and with the goals asserted. In the tier they would starve the suites beside it. */
const IS_BUSY = process.env['SIGNALBOX_TEST_BUSY'] === '1'
const GOALS = { deletedMs: 1000, judgedMs: 60_000, logs: 48 }
/** Far beyond the goals: unless it is a measurement the facts are asserted, and the times are printed. */
const JUDGED = { timeout: 600_000, interval: 500 }
const MID_BURST_MS = 500
const NOW = '$(date -u +%Y-%m-%d\\ %H:%M:%SZ)'

/** Real containers that log like a busy runner. */
async function workingRunners(cluster: NodeCluster, namespace: string): Promise<readonly PodName[]> {
  const pods = Array.from({ length: COUNT }, (_, index) => ({ namespace, name: `linux-abc-runner-${index}` }))
  await Promise.all(
    pods.map(({ name }) => {
      const script = `echo "${NOW}: Running job: build of ${name}"; exec sleep 7200`
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

/** Resolves with the milliseconds that it took. */
async function removeAll(cluster: NodeCluster, pods: readonly PodName[]): Promise<number> {
  const since = performance.now()
  const remove = (pod: PodName) => cluster.callOk({ method: 'DELETE', path: `${podPath(pod)}?gracePeriodSeconds=0` })
  await Promise.all(pods.map(remove))
  return performance.now() - since
}

function keepCoresBusy(): () => Promise<void> {
  const loops = (IS_BUSY ? [1, 2] : []).map(() => spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }))
  return async () => {
    await Promise.all(
      loops.map(async (loop) => {
        const closed = once(loop, 'close')
        loop.kill('SIGKILL')
        await closed
      }),
    )
  }
}

async function listDeaths(serve: ServeProcess, namespace: string): Promise<readonly Death[]> {
  const answer = await askServe(serve, '/v1/deaths?limit=1000')
  if (!answer.ok) return []
  const { deaths } = (await answer.json()) as { readonly deaths: readonly Death[] }
  return deaths.filter((death) => death.namespace === namespace)
}

type Burst = { readonly namespace: string; readonly since: number; readonly deletedMs: number }

/** Prints how long the deleting, the saving and the judging took. */
async function untilJudged(serve: ServeProcess, { namespace, since, deletedMs }: Burst) {
  let deaths: readonly Death[] = []
  let storedAt: number | null = null
  await vi.waitFor(async () => {
    deaths = await listDeaths(serve, namespace)
    if (deaths.length === COUNT) storedAt ??= performance.now()
    expect([deaths.length, deaths.filter(isJudged).length]).toEqual([COUNT, COUNT])
  }, JUDGED)
  const judgedMs = performance.now() - since
  const seconds = (ms: number): string => (ms / 1000).toFixed(1)
  const judged = deaths.filter(({ cause, actor }) => cause === 'force-deleted' && actor !== null).length
  const journals = deaths.filter(hasJournal).length
  process.stderr.write(
    `fifty${IS_BUSY ? ', cores busy' : ''}, load ${loadavg()[0]?.toFixed(1)}: deleted within ${seconds(deletedMs)} s, rows after ${seconds((storedAt ?? 0) - since)} s, judged after ${seconds(judgedMs)} s, ${judged} with actor, ${journals} with a journal\n`,
  )
  return { deaths, times: { deletedMs, judgedMs } }
}

/** Of a measurement; a machine that is merely slow must fail no test. */
function expectGoals(times: Readonly<Record<'deletedMs' | 'judgedMs', number>>): void {
  if (!IS_BUSY) return
  expect(times.deletedMs).toBeLessThanOrEqual(GOALS.deletedMs)
  expect(times.judgedMs).toBeLessThanOrEqual(GOALS.judgedMs)
}

const hasJournal = ({ blind }: Death): boolean => !blind.some(({ source }) => source.startsWith('journal'))

function expectJournals(deaths: readonly Death[], mostWithout: number): void {
  const without = deaths.filter((death) => !hasJournal(death)).map(({ pod, blind }) => ({ pod, blind }))
  expect(without.length <= mostWithout ? [] : without).toEqual([])
}

function expectForced(deaths: readonly Death[], mostWithoutActor: number): void {
  expect(deaths.filter(({ cause }) => cause === 'unknown').map(({ pod, blind }) => [pod, blind])).toEqual([])
  const isWhole = ({ cause, confidence, actor }: Death): boolean =>
    cause === 'force-deleted' && confidence >= 0.95 && actor !== null
  const others = deaths.filter((death) => !isWhole(death))
  const shown = others.map(({ pod, cause, confidence, actor, blind }) => ({ pod, cause, confidence, actor, blind }))
  expect(shown.length <= mostWithoutActor ? [] : shown).toEqual([])
}

/** The last object, and the log of each container or the reason why there is none. Those whose log must be there are named by UID. */
async function expectWhole(
  serve: ServeProcess,
  deaths: readonly Death[],
  mustHaveLog: ReadonlySet<string> = new Set(),
): Promise<void> {
  let logs = 0
  // One after the other: fifty pollers would overload the server.
  for (const { uid, namespace, pod } of deaths) {
    const evidence = await readEvidence(serve, uid)
    expectNothingEmpty(evidence)
    const log = evidence.find(({ source }) => source.startsWith(`logs/${namespace}/${pod}/runner`))
    const isThere = log?.observed === 'seen'
    if (isThere) logs += 1
    expect([uid, log?.observed]).toEqual([
      uid,
      mustHaveLog.has(uid) ? 'seen' : expect.stringMatching(/^(?:seen|blind)$/),
    ])
    expect(evidence.map(({ source }) => source)).toContain('kubernetes/pods.json')
  }
  if (IS_BUSY) expect(logs).toBeGreaterThanOrEqual(GOALS.logs)
  process.stderr.write(`fifty: ${logs} with their log; ${mustHaveLog.size} had to have it\n`)
}

describeOnSharedNode(
  `fifty working runners that somebody deletes by force at once${IS_BUSY ? ', with both cores kept busy' : ''}`,
  (cluster) => {
    const cleanups: (() => PromiseLike<unknown>)[] = []
    let args: readonly string[]
    let agentArgs: readonly string[]
    let state: string

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
      // As the chart deploys it.
      state = join(folder, 'agent-state')
      agentArgs = [...asked, '--pod-logs', podLogs, '--state', state]
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

    /** Pods that the agent has put on disk and whose evidence the server has not stored, by UID. */
    const spooledPods = async (): Promise<ReadonlySet<string>> =>
      new Set((await readdir(state)).flatMap((name) => /^(.*)\.pod$/.exec(name)?.[1] ?? []))

    /** Other files have runners on the same node. */
    const serving = async (namespace: string): Promise<ServeProcess> => {
      const serve = await startServe([...args, '-n', namespace], connectionString)
      cleanups.push(() => serve.stop('SIGKILL'))
      return serve
    }

    const prepare = async () => {
      const agent = attending()
      const namespace = await createNamespace(cluster(), 'runners')
      const serve = await serving(namespace)
      const pods = await workingRunners(cluster(), namespace)
      await untilHeld(serve)
      await vi.waitFor(async () => expect(await liveInStore(namespace)).toBe(COUNT), PATIENT)
      cleanups.push(keepCoresBusy())
      return { agent, namespace, serve, pods }
    }

    test('are fifty deaths, each force-deleted with its actor, its last object and its log', TIMEOUT, async () => {
      const { agent, namespace, serve, pods } = await prepare()
      const since = performance.now()
      const deletedMs = await removeAll(cluster(), pods)
      const { deaths, times } = await untilJudged(serve, { namespace, since, deletedMs })
      expectForced(deaths, 0)
      expectJournals(deaths, 0)
      expect(deaths.map(({ missed }) => missed)).not.toContain(true)
      await expectWhole(serve, deaths, new Set(deaths.map(({ uid }) => uid)))
      await serve.stop('SIGTERM')
      await agent.stop('SIGTERM')
      expectGoals(times)
    })

    test('are fifty deaths with cause and actor even if serve is killed in the middle', TIMEOUT, async () => {
      const { namespace, serve, pods } = await prepare()
      const since = performance.now()
      const removing = removeAll(cluster(), pods)
      await sleep(MID_BURST_MS)
      await serve.stop('SIGKILL')
      const deletedMs = await removing
      const second = await serving(namespace)
      const { deaths, times } = await untilJudged(second, { namespace, since, deletedMs })
      expectForced(deaths, MOST_WITHOUT_ACTOR)
      expectJournals(deaths, MOST_WITHOUT_JOURNAL)
      await expectWhole(second, deaths)
      await second.stop('SIGTERM')
      expectGoals(times)
    })

    test('are fifty deaths with cause and actor even if the agent is killed in the middle', TIMEOUT, async () => {
      const { agent, namespace, serve, pods } = await prepare()
      const since = performance.now()
      const removing = removeAll(cluster(), pods)
      await sleep(MID_BURST_MS)
      // A busy agent may not have put a single one on disk by then.
      await vi.waitFor(async () => expect((await spooledPods()).size).toBeGreaterThan(0), PATIENT)
      await agent.stop('SIGKILL')
      const spooled = await spooledPods()
      const deletedMs = await removing
      attending()
      const { deaths, times } = await untilJudged(serve, { namespace, since, deletedMs })
      expectForced(deaths, MOST_WITHOUT_ACTOR)
      expectJournals(deaths, MOST_WITHOUT_JOURNAL)
      await expectWhole(serve, deaths, spooled)
      await serve.stop('SIGTERM')
      expectGoals(times)
    })
  },
)

/** Until the agent holds the log of each, so that it outlives its pod. */
async function untilHeld(serve: ServeProcess): Promise<void> {
  await vi.waitFor(async () => {
    const text = await (await askServe(serve, '/metrics')).text()
    const held = /^signalbox_node_agent_held_logs\S* (\d+)$/m.exec(text)?.[1]
    expect(Number(held)).toBeGreaterThanOrEqual(COUNT)
  }, PATIENT)
}

/** The pods that the next server would report as missed. */
async function liveInStore(namespace: string): Promise<number> {
  return (await ask(connectionString, `select 1 from sightings where namespace = '${namespace}'`)).length
}
