import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import { Agent, request } from 'undici'
import { afterEach, expect, test, vi } from 'vitest'
import type { Death } from '#/core/recorder/death.ts'
import { startServe } from '#test/recorder/serve-process.ts'
import type { ServeProcess } from '#test/recorder/serve-process.ts'
import { runSignalbox } from '#test/cli/run-signalbox.ts'
import type { NodeCluster } from '#test/cluster/cluster.ts'
import { BUSYBOX_IMAGE } from '#test/cluster/busybox-image.ts'
import { busyboxPod, createNamespace, createPod, podPath, untilPhase } from '#test/cluster/pods.ts'
import type { BusyboxPod } from '#test/cluster/pods.ts'
import { makeSign } from '#test/cluster/sign.ts'
import { describeOnSharedNode } from '#test/cluster/suites.ts'
import { until } from '#test/cluster/until.ts'
import { testDatabase } from '#test/postgres/test-database.ts'
import { startAgent } from './agent-process.ts'
import type { AgentProcess } from './agent-process.ts'
import { makeAccount, tokenFor } from './bound-token.ts'
import { makeCertificate } from './certificate.ts'

const { connectionString } = await testDatabase()

const NODE = 'localhost'
const TIMEOUT = { timeout: 1_800_000 }
const LABELS = { 'actions.github.com/scale-set-name': 'linux' }
const NOW = '$(date -u +%Y-%m-%d\\ %H:%M:%SZ)'
const AT_WORK = `echo "√ Connected to GitHub"; echo "${NOW}: Listening for Jobs"; echo "${NOW}: Running job: build"`

const stops: (() => PromiseLike<unknown>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

const runner = (namespace: string, name: string, more: Partial<BusyboxPod> & Pick<BusyboxPod, 'script'>) =>
  busyboxPod({ namespace, name, container: { name: 'runner' }, metadata: { name, namespace, labels: LABELS }, ...more })

type Setup = {
  readonly namespace: string
  readonly folder: string
  readonly serve: ServeProcess
  readonly agent: AgentProcess
}

/** The server and the agent as the chart starts them, the agent with the token of a pod on the node. */
async function setUp(cluster: NodeCluster): Promise<Setup> {
  const namespace = await createNamespace(cluster, 'runners')
  const home = await createNamespace(cluster, 'signalbox')
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-agent-'))
  stops.push(() => rm(folder, { recursive: true }))
  await makeAccount(cluster, home, 'signalbox-agent')
  const spec = { serviceAccountName: 'signalbox-agent' }
  const placeholder = { namespace: home, name: 'signalbox-agent-x' }
  await createPod(cluster, busyboxPod({ ...placeholder, script: 'exec sleep 3600', spec }))
  const pod = await untilPhase(cluster, placeholder, 'Running')
  const uid = pod.metadata?.uid ?? ''
  const token = await tokenFor(cluster, {
    namespace: home,
    account: 'signalbox-agent',
    pod: { name: placeholder.name, uid },
  })
  const tokenFile = join(folder, 'token')
  await writeFile(tokenFile, token)
  const { certFile, keyFile } = await makeCertificate(folder, 'signalbox')
  const tls = ['--tls-cert-file', certFile, '--tls-key-file', keyFile]
  const args = ['--kubeconfig', cluster.kubeconfig, '-n', namespace, '--data', folder, ...tls]
  const account = { SIGNALBOX_AGENT_SERVICE_ACCOUNT: `${home}/signalbox-agent` }
  const serve = await startServe(args, connectionString, account)
  stops.push(() => serve.stop('SIGKILL'))
  const place = ['--node', cluster.node.name, '--pod-logs', cluster.node.podLogs]
  const agent = startAgent(['--server', serve.url, '--ca-file', certFile, '--token-file', tokenFile, ...place], true)
  stops.push(() => agent.stop('SIGKILL'))
  await until({
    what: 'the agent to connect',
    timeoutMs: 120_000,
    probe: async () => agent.said().includes('connected to the server') || undefined,
    explain: async () => `${agent.said()}\n${serve.said()}`,
  })
  return { namespace, folder, serve, agent }
}

type Evidence = { readonly death: Death; readonly files: ReadonlyMap<string, string>; readonly meta: Meta }
type Meta = {
  readonly sources: Readonly<
    Record<string, { readonly ok: boolean; readonly from?: string; readonly to?: string; readonly reason?: string }>
  >
}

async function readEvidence({ serve, folder }: Setup, pod: string): Promise<Evidence> {
  const env = { SIGNALBOX_CA_FILE: join(folder, 'signalbox.crt') }
  const death = await vi.waitFor(
    async () => {
      const { stdout } = await runSignalbox(['deaths', '--server', serve.url, '-o', 'json'], { env })
      const { deaths } = JSON.parse(stdout) as { readonly deaths: readonly Death[] }
      const own = deaths.find((one) => one.pod === pod && one.confidence > 0)
      if (own === undefined) throw new Error(`${pod} is not recorded: ${serve.said()}`)
      return own
    },
    { timeout: 240_000, interval: 500 },
  )
  const path = join(folder, `${pod}.tar.gz`)
  const exported = await runSignalbox(['export', pod, '-o', path, '--server', serve.url], { env })
  expect(exported).toMatchObject({ code: 0 })
  const unpacked = join(folder, pod)
  await mkdir(unpacked)
  await promisify(execFile)('tar', ['-xzf', path, '-C', unpacked])
  const names = await readdir(unpacked, { recursive: true, withFileTypes: true })
  const files = new Map<string, string>()
  for (const entry of names.filter((one) => one.isFile())) {
    const whole = join(entry.parentPath, entry.name)
    files.set(relative(unpacked, whole).replace(/^[^/]*bundle[^/]*\//, ''), await readFile(whole, 'utf8'))
  }
  return { death, files, meta: JSON.parse(files.get('meta.json') ?? '{}') as Meta }
}

/** Until the agent reports that it holds so many log files. */
function holds(setup: Setup, count: number): Promise<void> {
  return untilExposed(setup, `signalbox_node_agent_held_logs{node="${NODE}"} ${count}\n`)
}

/** The server counts an agent as connected until a moment after its last poll. */
function untilMissed(setup: Setup): Promise<void> {
  return untilExposed(setup, 'signalbox_agents 0\n')
}

async function untilExposed({ serve, folder, agent }: Setup, line: string): Promise<void> {
  const dispatcher = new Agent({ connect: { ca: await readFile(join(folder, 'signalbox.crt'), 'utf8') } })
  await until({
    what: line,
    timeoutMs: 240_000,
    probe: async () => {
      const { body } = await request(`${serve.url}/metrics`, { dispatcher })
      return (await body.text()).includes(line) || undefined
    },
    explain: async () => agent.said(),
  })
  await dispatcher.close()
}

describeOnSharedNode('the agent on a real node', (cluster) => {
  test('adds to a death what only the node knows, and is reported as missing when it is gone', TIMEOUT, async () => {
    const setup = await setUp(cluster())
    const { namespace, agent } = setup
    const node = cluster().node.name
    const [oom, forced, alone] = ['oom', 'forced', 'alone'].map((name) => `linux-abc-runner-${name}`) as [
      string,
      string,
      string,
    ]
    const lasting = `${AT_WORK}; exec sleep 600`
    const sidecar = {
      name: 'sidecar',
      image: BUSYBOX_IMAGE,
      imagePullPolicy: 'Never',
      command: ['sh', '-c', 'echo beside; exec sleep 600'],
    }
    const two = runner(namespace, forced, { script: lasting })
    const spec = { ...two.spec, containers: [...(two.spec?.containers ?? []), sidecar] }
    await createPod(cluster(), { ...two, spec })
    await untilPhase(cluster(), { namespace, name: forced }, 'Running')
    await holds(setup, 2)
    const { awaited, volumes, volumeMounts, give } = await makeSign(cluster())
    const container = { name: 'runner', volumeMounts }
    const script = `${AT_WORK}; ${awaited}; exec tail /dev/zero`
    await createPod(cluster(), runner(namespace, oom, { script, memory: '32Mi', container, spec: { volumes } }))
    await untilPhase(cluster(), { namespace, name: oom }, 'Running')
    await holds(setup, 3)
    // It copies counters each second and reports what it holds much less often: with the next report it has the counters.
    await createPod(cluster(), runner(namespace, alone, { script: lasting }))
    await untilPhase(cluster(), { namespace, name: alone }, 'Running')
    await holds(setup, 4)
    await give()
    const killed = await readEvidence(setup, oom)
    expect(killed.death).toMatchObject({ cause: 'oom-container' })
    const journal = killed.files.get(`journal/${node}.jsonl`) ?? ''
    expect(journal).toContain(killed.death.uid)
    expect(journal).toContain('oom-kill:constraint=CONSTRAINT_MEMCG')
    const { ok, to = '' } = killed.meta.sources[`journal/${node}`] ?? {}
    // Up to the line that was written last, which is after the end.
    expect([ok, Date.parse(to) >= killed.death.diedAt]).toEqual([true, true])
    expect(killed.meta.sources['cgroup']).toMatchObject({ ok: true })
    const cgroup = [...killed.files.keys()].filter((path) => path.startsWith(`cgroup/${namespace}/${oom}/`))
    expect(cgroup).toContainEqual(expect.stringMatching(/memory\.(?:max|limit_in_bytes)$/))
    expect(killed.files.get(`host/${node}/proc/sys/fs/file-nr`)).toMatch(/^\d+\s/)

    await removeNow(cluster(), namespace, forced)
    const gone = await readEvidence(setup, forced)
    expect(gone.files.get(`logs/${namespace}/${forced}/sidecar.log`)).toMatch(/^\S+Z beside\n$/)
    expect(gone.files.get(`logs/${namespace}/${forced}/runner.log`)).toContain('Running job: build')
    expect(gone.meta.sources[`logs/${namespace}/${forced}/sidecar`]?.reason).toContain('the agent kept')

    expect(await agent.stop('SIGTERM')).toBe(0)
    await untilMissed(setup)
    await removeNow(cluster(), namespace, alone)
    const missed = await readEvidence(setup, alone)
    for (const source of [`journal/${node}`, `host/${node}`, 'cgroup']) {
      const away = expect.stringMatching(
        new RegExp(`^unreachable: the agent on ${node} (?:has been disconnected since|disconnected)`),
      ) as string
      expect(missed.meta.sources[source]).toEqual({ ok: false, reason: away })
    }
  })
})

const removeNow = (cluster: NodeCluster, namespace: string, name: string) =>
  cluster.callOk({ method: 'DELETE', path: `${podPath({ namespace, name })}?gracePeriodSeconds=0` })
