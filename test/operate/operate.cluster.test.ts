import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { kubernetesActs } from '#/adapters/kubernetes/acts.ts'
import type { KubernetesConnection } from '#/adapters/kubernetes/connect.ts'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'
import type { Resource } from '#/ports/kubernetes-resources.ts'
import { startAgent } from '#test/agent/agent-process.ts'
import { runSignalbox } from '#test/cli/run-signalbox.ts'
import { ARC_KINDS, createObject, installArc } from '#test/cluster/arc-crds.ts'
import type { NodeCluster } from '#test/cluster/cluster.ts'
import { busyboxPod, createNamespace, createPod } from '#test/cluster/pods.ts'
import { describeWithPrivateNode } from '#test/cluster/suites.ts'
import { until } from '#test/cluster/until.ts'
import { createObserver, readGrants } from '#test/collect/observer.ts'
import { connectBy, doneObject, unhurried } from '#test/contracts/kubernetes-means.ts'
import { grantedBy, usedBy } from '#test/deploy/rights.ts'
import { startServe } from '#test/recorder/serve-process.ts'
import { testDatabase } from '#test/postgres/test-database.ts'
import { grant, OPERATE_FILES, readRole } from './grant.ts'
import { BUSY, IDLE, installRunners, SET } from './runners.ts'

const { connectionString } = await testDatabase()

const TIMEOUT = { timeout: 900_000 }
let folder: string
let runners: string
let home: string
const stops: (() => PromiseLike<unknown>)[] = []
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-operate-'))
})
afterAll(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
  await rm(folder, { recursive: true })
})

type Reaped = {
  readonly candidates: readonly {
    readonly subject: { readonly name: string }
    readonly gates: readonly { readonly gate: string; readonly holds: boolean | null; readonly why: string }[]
  }[]
}

/** What the gate says about each runner. */
async function reap(kubeconfig: string, ...more: readonly string[]) {
  const files = ['--github-runners-json', join(folder, 'runners.json'), '--fleet', join(folder, 'fleet.yaml')]
  const asked = ['reap', '--policy', 'offline', '--min-age', '1s', '-n', runners, '--kubeconfig', kubeconfig, ...files]
  const ran = await runSignalbox([...asked, '-o', 'json', ...more], { env: { SIGNALBOX_LISTEN: '127.0.0.1:1' } })
  if (ran.stdout === '') throw new Error(ran.stderr)
  const { candidates } = JSON.parse(ran.stdout) as Reaped
  const about = (name: string) => {
    const own = candidates.find(({ subject }) => subject.name === name)
    return own?.gates.find(({ gate }) => gate === 'no-worker-process')
  }
  return { idle: about(IDLE), busy: about(BUSY) }
}

const SEEN = {
  idle: { holds: true, why: expect.stringMatching(/^none of its processes \(\d+\) is a Runner\.Worker/) as string },
  busy: { holds: false, why: expect.stringContaining('Runner.Worker') as string },
}

describeWithPrivateNode('the rights of deploy/operate, and the processes of runners', (cluster) => {
  const observer = (name: string): Promise<string> =>
    createObserver(cluster(), { name, namespace: home, grants: readGrants('clusterrole.yaml'), secretsIn: [], folder })

  beforeAll(async () => {
    await installArc(cluster())
    home = await createNamespace(cluster(), 'signalbox')
    runners = await createNamespace(cluster(), 'runners')
    await installRunners(cluster(), { runners, folder })
  }, 900_000)

  test('without them the gate is blind, and says what would let it see', TIMEOUT, async () => {
    const kubeconfig = await observer('blind')
    const { idle, busy } = await reap(kubeconfig)
    for (const gate of [idle, busy]) {
      expect(gate).toMatchObject({
        holds: null,
        why: expect.stringMatching(/agent: not-asked: .*pods\/exec: forbidden: /) as string,
      })
    }
    const { stdout } = await runSignalbox(
      [
        'reap',
        '--policy',
        'offline',
        '--min-age',
        '1s',
        '-n',
        runners,
        '--kubeconfig',
        kubeconfig,
        '--github-runners-json',
        join(folder, 'runners.json'),
        '--fleet',
        join(folder, 'fleet.yaml'),
      ],
      { env: { SIGNALBOX_LISTEN: '127.0.0.1:1' } },
    )
    for (const way of ['agent.processes', 'deploy/operate/exec.yaml', 'vitals.sh']) expect(stdout).toContain(way)
  })

  test('with pods/exec the gate sees who works', TIMEOUT, async () => {
    const kubeconfig = await observer('executor')
    await grant(cluster(), 'exec.yaml', { name: 'executor', namespace: home, in: runners })
    expect(await reap(kubeconfig)).toMatchObject(SEEN)
    const { used, refused } = await usedBy(cluster().auditLog, `system:serviceaccount:${home}:executor`)
    expect(used).toContain('get /pods/exec')
    expect(refused.filter((line) => line.includes('exec'))).toEqual([])
  })

  test('an agent that may see processes shows them without any right in the cluster', TIMEOUT, async () => {
    const kubeconfig = await observer('by-agent')
    const token = join(folder, 'agent.token')
    await writeFile(token, 'a-secret-that-agents-of-the-tests-know')
    const args = [
      '--kubeconfig',
      cluster().kubeconfig,
      '-n',
      runners,
      '--data',
      join(folder, 'data'),
      '--agent-token-file',
      token,
    ]
    const serve = await startServe(args, connectionString)
    stops.push(() => serve.stop('SIGKILL'))
    const place = ['--node', cluster().node.name, '--pod-logs', cluster().node.podLogs]
    const agent = startAgent(['--server', serve.url, '--token-file', token, ...place, '--processes'], true)
    stops.push(() => agent.stop('SIGKILL'))
    // The server asks an agent only about runners that it has seen.
    const seen = await vi.waitFor(
      async () => {
        const now = await reap(kubeconfig, '--server', serve.url)
        if (typeof now.idle?.holds !== 'boolean') throw new Error(`${JSON.stringify(now)} ${agent.said()}`)
        return now
      },
      { timeout: 240_000, interval: 2000 },
    )
    expect(seen).toMatchObject(SEEN)
  })

  test('suffice for every act, and none of them is unused', TIMEOUT, async () => {
    const name = 'operator'
    const kubeconfig = await observer(name)
    for (const file of OPERATE_FILES) await grant(cluster(), file, { name, namespace: home, in: runners })
    await using kubernetes = connectBy(kubeconfig)
    await actOnEverything(kubernetes, cluster())
    await reap(kubeconfig)
    const granted = OPERATE_FILES.flatMap((file) => grantedBy(readRole(file).rules))
    const { used, refused } = await usedBy(cluster().auditLog, `system:serviceaccount:${home}:${name}`)
    // Both are checked for one request, which the audit log names by the verb of the first: `get` of a WebSocket, `patch` of an apply.
    const checkedBesides = ['create /pods/exec', 'create /secrets']
    expect(granted.filter((right) => !used.includes(right) && !checkedBesides.includes(right))).toEqual([])
    expect(refused).toEqual([])
  })

  test.each(['create'])('need %s of secrets for a copy that is not there yet', TIMEOUT, async () => {
    const name = 'copier'
    const kubeconfig = await observer(name)
    await using kubernetes = connectBy(kubeconfig)
    await expect(applySecret(kubernetes, 'fresh')).resolves.toMatchObject({ kind: 'forbidden' })
    await grant(cluster(), 'secrets.yaml', { name, namespace: home, in: runners })
    await expect(applySecret(kubernetes, 'fresh')).resolves.toMatchObject({ kind: 'done' })
  })
})

/** As src/adapters/kubernetes/acts.ts does it, each by UID and version. */
async function actOnEverything(kubernetes: KubernetesConnection, cluster: NodeCluster): Promise<void> {
  const acts = kubernetesActs(kubernetes)
  const whole = async (resource: Resource, name: string) => {
    const { group, version, plural } = resource
    const base = group === '' ? `/api/${version}` : `/apis/${group}/${version}`
    const object = await cluster.callOk({ path: `${base}/namespaces/${runners}/${plural}/${name}` })
    const { uid, resourceVersion } = (
      object as { readonly metadata: { readonly uid: string; readonly resourceVersion: string } }
    ).metadata
    return { namespace: runners, name, uid, resourceVersion }
  }
  await createObject(cluster, ARC_KINDS.ephemeralRunner, { namespace: runners, name: 'goes' })
  const runner = { kind: 'EphemeralRunner', ...(await whole(RESOURCES.ephemeralRunners, 'goes')) } as const
  expect(await acts.remove(runner, unhurried)).toEqual({ kind: 'done' })
  expect(
    await kubernetes.get({ resource: RESOURCES.ephemeralRunners, namespace: runners, name: 'goes' }, unhurried),
  ).toEqual({ kind: 'none' })
  const set = { kind: 'EphemeralRunnerSet', ...(await whole(RESOURCES.ephemeralRunnerSets, 'linux-x7k2p')) } as const
  expect(await acts.scaleToZero(set, unhurried)).toEqual({ kind: 'done' })
  const { name, ...preconditions } = await whole(RESOURCES.autoscalingRunnerSets, SET)
  const patch = { kind: 'merge', changes: { spec: { maxRunners: 0 } } } as const
  const { uid, resourceVersion } = preconditions
  doneObject(
    await kubernetes.patch(
      {
        resource: RESOURCES.autoscalingRunnerSets,
        namespace: runners,
        name,
        preconditions: { uid, resourceVersion },
        patch,
      },
      unhurried,
    ),
  )
  await createPod(cluster, busyboxPod({ namespace: runners, name: 'listener', script: 'exec sleep 3600' }))
  expect(
    await kubernetes.get({ resource: RESOURCES.pods, namespace: runners, name: 'listener' }, unhurried),
  ).toMatchObject({ kind: 'seen' })
  const listener = await until({
    what: 'the pod to be deleted at the version that was read',
    timeoutMs: 60_000,
    probe: async () => {
      const outcome = await acts.remove({ kind: 'Pod', ...(await whole(RESOURCES.pods, 'listener')) }, unhurried)
      return outcome.kind === 'changed' ? undefined : outcome
    },
  })
  expect(listener).toEqual({ kind: 'done' })
  expect(await applySecret(kubernetes, 'copy')).toMatchObject({ kind: 'done' })
  expect(
    await kubernetes.get({ resource: RESOURCES.secrets, namespace: runners, name: 'copy' }, unhurried),
  ).toMatchObject({ kind: 'seen' })
}

function applySecret(kubernetes: KubernetesConnection, name: string) {
  const object = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: runners },
    type: 'Opaque',
    data: { a: 'Yg==' },
  }
  const patch = { kind: 'apply', fieldManager: 'signalbox', force: false, object } as const
  return kubernetes.patch({ resource: RESOURCES.secrets, namespace: runners, name, patch }, unhurried)
}
