import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import type { Announcement } from './abandoning-owner.ts'
import type { ApiServer } from './cluster.ts'
import { startApiServer } from './cluster.ts'
import { cgroupRoot } from './cgroup.ts'
import { callApi } from './api-client.ts'
import { run } from './command.ts'
import { readClusterEnvironment } from './environment.ts'
import { withFileLock } from './file-lock.ts'
import { KUBERNETES_VERSION } from './kubernetes-binaries.ts'
import { mountsBelow } from './mounts.ts'
import { busyboxPod, createNamespace, createPod, podPath, readPod, untilLogged, untilPhase } from './pods.ts'
import { listProcesses } from './process-identity.ts'
import {
  describeOnSharedNode,
  describeWhereSupported,
  describeWithApiServer,
  describeWithPrivateNode,
  provideMachine,
} from './suites.ts'
import { until } from './until.ts'

const NODE_TIMEOUT = { timeout: 400_000 }

/** Everything on the machine that names the cluster's folder. */
function listRemains(folder: string): readonly string[] {
  const processes = listProcesses().filter(({ commandLine }) => commandLine.some((arg) => arg.includes(folder)))
  return [
    ...processes.map(({ pid, commandLine }) => `process ${pid} ${commandLine.join(' ')}`),
    ...mountsBelow(folder),
    ...cgroupRoot(basename(folder)).folders.filter((group) => existsSync(group)),
    ...[folder].filter((path) => existsSync(path)),
  ]
}

async function startOwner(args: readonly string[]): Promise<{ readonly folder: string; readonly kill: () => void }> {
  const owner = spawn(process.execPath, [join(import.meta.dirname, 'abandoning-owner.ts'), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await Promise.race([once(owner.stdout, 'data'), once(owner, 'exit')])) as readonly unknown[]
  if (!Buffer.isBuffer(line)) throw new Error('the owner ended before its cluster started')
  const { folder } = JSON.parse(line.toString()) as Announcement
  return { folder, kill: () => void owner.kill('SIGKILL') }
}

async function untilNothingRemains(folder: string): Promise<void> {
  await until({
    what: 'the guardian to clean up',
    timeoutMs: 120_000,
    explain: async () => listRemains(folder).join('\n'),
    probe: async () => (listRemains(folder).length === 0 ? true : undefined),
  })
}

async function createConfigMap(cluster: ApiServer, name: string): Promise<void> {
  const path = '/api/v1/namespaces/default/configmaps'
  await cluster.callOk({ method: 'POST', path, body: { metadata: { name } } })
}

describeWithApiServer(
  'an API server',
  (cluster) => {
    test('has the requested version of Kubernetes', async () => {
      const version = (await cluster().callOk({ path: '/version' })) as { readonly gitVersion: string }
      // envtest may have another version.
      const expected = readClusterEnvironment().kubebuilderAssets === undefined ? KUBERNETES_VERSION : /^v1\./u
      expect(version.gitVersion).toMatch(expected)
      expect(await cluster().kubectl(['version'])).toContain(version.gitVersion)
    })

    test('restarts after a crash, on the same port and with its data', async () => {
      const { url } = cluster()
      await createConfigMap(cluster(), 'kept')
      await cluster().killApiServer()
      await expect(cluster().call({ path: '/readyz' })).rejects.toThrow('ECONNREFUSED')
      await cluster().startApiServer()
      expect(cluster().url).toBe(url)
      await cluster().callOk({ path: '/api/v1/namespaces/default/configmaps/kept' })
    })

    test('has other users without any rights', async () => {
      const access = { ...cluster(), token: cluster().findToken('guest') }
      const answer = await callApi(access, { path: '/api/v1/pods' })
      expect(answer.status).toBe(403)
      expect(answer.text).toContain('User \\"guest\\" cannot list resource')
    })

    test('writes who did what to the audit log', async () => {
      await createConfigMap(cluster(), 'audited')
      const lines = (await readFile(cluster().auditLog, 'utf8')).trim().split('\n')
      const events = lines.map((line) => JSON.parse(line) as { readonly objectRef?: { readonly name?: string } })
      expect(events.filter((event) => event.objectRef?.name === 'audited')).toMatchObject([
        { verb: 'create', user: { username: 'admin' }, responseStatus: { code: 201 } },
      ])
    })

    test('accepts pods in a namespace of createNamespace', async () => {
      const namespace = await createNamespace(cluster())
      await createPod(cluster(), busyboxPod({ name: 'nobody-runs-it', namespace, script: 'true' }))
      const pod = await readPod(cluster(), { namespace, name: 'nobody-runs-it' })
      expect(pod?.status?.phase).toBe('Pending')
    })
  },
  { users: [{ name: 'guest', groups: [] }] },
)

describeWithApiServer(
  'an API server without a watch cache, after a compaction',
  (cluster) => {
    test('answers an old watch and an old page with 410', async () => {
      await createConfigMap(cluster(), 'one')
      await createConfigMap(cluster(), 'two')
      const list = '/api/v1/namespaces/default/configmaps'
      const page = (await cluster().callOk({ path: `${list}?limit=1` })) as {
        readonly metadata: { readonly continue: string; readonly resourceVersion: string }
      }
      await createConfigMap(cluster(), 'three')
      expect(await cluster().compactEtcd()).toBeGreaterThan(Number(page.metadata.resourceVersion))
      const next = await cluster().call({ path: `${list}?limit=1&continue=${page.metadata.continue}` })
      expect(next.status).toBe(410)
      expect(await firstWatchEvent(cluster(), `${list}?watch=1&resourceVersion=1`)).toMatchObject({
        type: 'ERROR',
        object: { code: 410, reason: 'Expired' },
      })
    })
  },
  { watchCache: false, audit: 'off' },
)

async function firstWatchEvent(cluster: ApiServer, path: string): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  const headers = { authorization: `Bearer ${cluster.adminToken}` }
  const url = new URL(path, cluster.url)
  const outgoing = request(url, { ca: cluster.certificateAuthority, agent: false, headers }, (incoming) => {
    text(incoming).then((body) => resolve(JSON.parse(body.split('\n')[0] ?? '')), reject)
  })
  outgoing.once('error', reject)
  outgoing.end()
  return await promise
}

describeOnSharedNode('a node', (cluster) => {
  test('runs a pod, whose log can be read through the API', NODE_TIMEOUT, async () => {
    const namespace = await createNamespace(cluster())
    const name = { namespace, name: 'hello' }
    await createPod(cluster(), busyboxPod({ ...name, script: 'echo hello from busybox; sleep 600' }))
    await untilPhase(cluster(), name, 'Running')
    expect(await untilLogged(cluster(), name, { text: '\n' })).toBe('hello from busybox\n')
    await cluster().callOk({ method: 'DELETE', path: podPath(name) })
    await until({
      what: 'the pod to go',
      timeoutMs: 120_000,
      probe: async () => ((await readPod(cluster(), name)) === undefined ? true : undefined),
    })
  })

  test('has a kernel that kills at the memory limit, and a journal with its line', NODE_TIMEOUT, async () => {
    const begun = Math.floor(Date.now() / 1000)
    const namespace = await createNamespace(cluster())
    const name = { namespace, name: 'hungry' }
    await createPod(cluster(), busyboxPod({ ...name, memory: '32Mi', script: 'tail /dev/zero' }))
    const pod = await untilPhase(cluster(), name, 'Failed')
    expect(pod.status?.containerStatuses?.[0]?.state?.terminated).toMatchObject({ reason: 'OOMKilled', exitCode: 137 })
    const uid = pod.metadata?.uid ?? 'none'
    // Another suite may cause a kill at the same time.
    const own = new RegExp(`oom_memcg=\\S*pod${uid.replaceAll('-', '[-_]')}`, 'u')
    const line = await until({
      what: `the kernel's line about ${uid}`,
      timeoutMs: 120_000,
      probe: async () => {
        const kernel = await run('journalctl', ['-k', '-o', 'cat', `--since=@${begun}`])
        return kernel.stdout.split('\n').find((candidate) => own.test(candidate))
      },
    })
    expect(line).toContain('task=tail')
  })

  test('writes to the journal and to the audit log under its own name', async () => {
    const lines = await run('journalctl', ['-t', 'kubelet', '-o', 'json', '-n', '1', '--since=-5min'])
    expect(JSON.parse(lines.stdout)).toMatchObject({ _COMM: 'kubelet' })
    expect(await readFile(cluster().auditLog, 'utf8')).toContain('"username":"system:node:localhost"')
  })
})

describeWithPrivateNode('a private node', (cluster) => {
  test('keeps its pods while kubelet and containerd are killed and restarted', NODE_TIMEOUT, async () => {
    const namespace = await createNamespace(cluster())
    const name = { namespace, name: 'steady' }
    await createPod(cluster(), busyboxPod({ ...name, script: 'sleep 600' }))
    const before = await untilPhase(cluster(), name, 'Running')
    const { node } = cluster()
    await node.killKubelet()
    await node.killContainerd()
    await node.startContainerd()
    await node.startKubelet()
    // A second pod shows that both work again, so the status of the first pod is new.
    await createPod(cluster(), busyboxPod({ namespace, name: 'second', script: 'true' }))
    await untilPhase(cluster(), { namespace, name: 'second' }, 'Succeeded')
    const after = await untilPhase(cluster(), name, 'Running')
    expect(after.status?.containerStatuses).toMatchObject([
      { containerID: before.status?.containerStatuses?.[0]?.containerID, restartCount: 0 },
    ])
  })

  // Last, because it stops the cluster.
  test('leaves nothing when it is stopped with a pod running', NODE_TIMEOUT, async () => {
    const namespace = await createNamespace(cluster())
    const name = { namespace, name: 'running' }
    await createPod(cluster(), busyboxPod({ ...name, script: 'sleep 600' }))
    await untilPhase(cluster(), name, 'Running')
    const { folder, stop } = cluster()
    expect(listRemains(folder).length).toBeGreaterThan(10)
    await stop()
    expect(listRemains(folder)).toEqual([])
  })
})

describeWhereSupported('a node whose owner is killed', 'node', () => {
  test('leaves nothing', { timeout: 900_000 }, async () => {
    await provideMachine()
    const owner = await startOwner(['node'])
    expect(mountsBelow(owner.folder).join('\n')).toContain('kubernetes.io~empty-dir/scratch')
    owner.kill()
    await untilNothingRemains(owner.folder)
  })
})

describeWhereSupported('the end of an API server', 'api-server', () => {
  test('leaves nothing when its owner is killed', { timeout: 900_000 }, async () => {
    const owner = await startOwner(['api-server'])
    expect(listRemains(owner.folder).length).toBeGreaterThan(1)
    owner.kill()
    await untilNothingRemains(owner.folder)
  })

  test('cleans up when the start fails, and throws the reason', { timeout: 900_000 }, async () => {
    const starting = startApiServer({ apiServerFlags: ['--no-such-flag'] })
    await expect(starting).rejects.toThrow('unknown flag: --no-such-flag')
    expect(listProcesses().flatMap(({ commandLine }) => commandLine)).not.toContain('--no-such-flag')
  })
})

describeWhereSupported('a file lock', 'node', () => {
  test('releases the lock when its owner is killed', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'signalbox-lock-'))
    const lockFile = join(folder, 'lock')
    const owner = await startOwner(['lock', lockFile])
    let taken = false
    let takenFromTheLiving: boolean | undefined
    const onWait = (): void => {
      takenFromTheLiving = taken
      owner.kill()
    }
    await withFileLock({ lockFile, onWait }, async () => {
      taken = true
    })
    expect([takenFromTheLiving, taken]).toEqual([false, true])
    await rm(folder, { recursive: true })
  })
})
