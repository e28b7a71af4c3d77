import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BUNDLE_LIMITS, openBundle } from '#/adapters/bundle/open-bundle.ts'
import { answerFor } from '#/core/evidence/bundle-source.ts'
import { readEvent } from '#/core/kubernetes/event-facts.ts'
import { at, textAt } from '#/core/basics/fields.ts'
import type { Observed } from '#/core/basics/observed.ts'
import type { Bundle } from '#/ports/bundle.ts'
import { runSignalbox } from '#test/cli/run-signalbox.ts'
import type { NodeCluster } from '#test/cluster/cluster.ts'
import { untilMeasured } from '#test/cluster/node.ts'
import {
  busyboxPod,
  createNamespace,
  createPod,
  podPath,
  readPod,
  untilEvents,
  untilLogged,
  untilPhase,
  untilPod,
} from '#test/cluster/pods.ts'
import { describeOnSharedNode } from '#test/cluster/suites.ts'
import { until } from '#test/cluster/until.ts'
import { untilAllowed, writeToken } from '#test/collect/observer.ts'

const TIMEOUT = { timeout: 300_000 }
/** Spelled apart, so that nobody takes it for a real one. */
const TOKEN = ['ghp', '016C7e42F292c6912E7710c838347Ae178B4'].join('_')

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-collect-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function collect(cluster: NodeCluster, args: readonly string[], kubeconfig = cluster.kubeconfig) {
  return await runSignalbox(['collect', ...args, '--kubeconfig', kubeconfig, '--summary', 'json'])
}

async function opened(path: string): Promise<Bundle> {
  const opening = await openBundle(path, BUNDLE_LIMITS, new AbortController().signal)
  if (opening.kind === 'opened') return opening.bundle
  throw new Error(opening.why)
}

function unwrap<T>(observed: Observed<T>): T {
  if (observed.kind === 'seen') return observed.value
  throw new Error(`not seen: ${JSON.stringify(observed)}`)
}

describeOnSharedNode('signalbox collect on a real cluster', (cluster) => {
  describe('of a pod that stands', () => {
    standingPod(cluster)
  })
  describe('of a pod that is gone', () => {
    gonePod(cluster)
  })
  describe('with few rights', () => {
    fewRights(cluster)
  })
})

function standingPod(cluster: () => NodeCluster): void {
  const name = 'linux-4x8-abc12-runner-again'
  const path = (): string => join(folder, 'standing.tar.gz')
  let namespace: string
  let bundle: Bundle

  beforeAll(async () => {
    namespace = await createNamespace(cluster(), 'runners')
    const script = `if [ -f /data/again ]; then echo "token ${TOKEN}"; exec sleep 600; fi; touch /data/again; echo first; exit 3`
    const volumeMounts = [{ name: 'data', mountPath: '/data' }]
    const plan = busyboxPod({
      name,
      namespace,
      script,
      memory: '32Mi',
      container: { name: 'runner', volumeMounts, env: [{ name: 'GITHUB_TOKEN', value: TOKEN }] },
      spec: { restartPolicy: 'OnFailure', volumes: [{ name: 'data', emptyDir: {} }] },
    })
    const [main] = plan.spec?.containers ?? []
    const init = { ...main, name: 'prepare', env: [], command: ['sh', '-c', 'echo prepared'] }
    await createPod(cluster(), { ...plan, spec: { ...plan.spec!, initContainers: [init] } })
    const isBack = (state?: {
      readonly restartCount: number
      readonly state?: { readonly running?: object }
    }): boolean => state?.restartCount === 1 && state.state?.running !== undefined
    await untilPod(cluster(), { namespace, name }, ({ status }) => isBack(status?.containerStatuses?.[0]))
    await untilLogged(cluster(), { namespace, name }, { container: 'runner', text: 'token ' })
    await untilEvents(cluster(), { namespace, name }, ['Scheduled', 'Pulled', 'Created', 'Started'])
    await untilLease(cluster())
    await untilMeasured(cluster())
    const here = ['--this-node', cluster().node.name, '--audit-log', cluster().auditLog]
    const ran = await collect(cluster(), [`${namespace}/${name}`, '-o', path(), ...here])
    expect([ran.code, ran.stderr]).toEqual([0, expect.stringContaining('standing.tar.gz: ')])
    bundle = await opened(path())
  }, 300_000)
  afterAll(() => bundle[Symbol.asyncDispose]())

  test('it says whom it is about', TIMEOUT, async () => {
    const pod = await readPod(cluster(), { namespace, name })
    const node = cluster().node.name
    expect(bundle.meta.subject).toEqual({
      namespace,
      pod: name,
      uid: pod?.metadata?.uid,
      node,
      container: 'runner',
      runner: name,
    })
  })

  test('it has the pod with who wrote to it, its node, its lease and its events', TIMEOUT, async () => {
    const pods = unwrap(await bundle.list('pods'))
    const own = pods.find((pod) => pod.metadata.name === name)
    expect(JSON.stringify(at(own, 'metadata', 'managedFields'))).toContain('kubelet')
    expect(unwrap(await bundle.list('nodes')).map(({ metadata }) => metadata.name)).toEqual([cluster().node.name])
    expect(unwrap(await bundle.list('leases'))[0]?.metadata.name).toBe(cluster().node.name)
    const events = unwrap(await bundle.list('events')).map(readEvent)
    const reasons = events.flatMap((event) => (event.name === name ? [event.reason] : []))
    const ofPod = ['--field-selector', `involvedObject.name=${name}`, '-o', 'jsonpath={.items[*].reason}']
    const printed = await cluster().kubectl(['get', 'events', '-n', namespace, ...ofPod])
    expect(new Set(reasons)).toEqual(new Set(printed.trim().split(' ')))
    expect(reasons).toEqual(expect.arrayContaining(['Scheduled', 'Pulled', 'Created', 'Started']))
    const scheduled = events.find((event) => event.reason === 'Scheduled')?.lastAt ?? 0
    expect(bundle.coverage('kubernetes/events')?.from).toBeLessThanOrEqual(scheduled)
  })

  test('it has the logs of all containers, also from before the restart', TIMEOUT, async () => {
    const log = async (container: string, previous = false): Promise<string> =>
      unwrap(await bundle.log({ namespace, pod: name, container, previous }))
    expect(await log('prepare')).toMatch(/^\d{4}-\S+Z prepared\n$/)
    expect(await log('runner', true)).toMatch(/^\d{4}-\S+Z first\n$/)
    expect(await log('runner')).toMatch(/^\d{4}-\S+Z token .+\n$/)
  })

  test('it has no token, wherever one was', TIMEOUT, async () => {
    const bytes = gunzipSync(await readFile(path()))
    expect(bytes.includes(TOKEN)).toBe(false)
    expect(bytes.includes('"name":"GITHUB_TOKEN","value":"‹redacted:')).toBe(true)
    expect(bytes.includes('Z token ‹redacted:')).toBe(true)
  })

  test('it has what the node says, and what the machine says', TIMEOUT, async () => {
    const node = cluster().node.name
    expect(unwrap(await bundle.stats(node))).toMatchObject({ node: { nodeName: node } })
    expect(unwrap(await bundle.configz(node))).toHaveProperty('kubeletconfig')
    expect(unwrap(await bundle.hostFile(node, 'proc/sys/fs/file-nr'))).toMatch(/^\d+\s\d+\s\d+\n$/)
    expect(unwrap(await bundle.hostFile(node, 'df-i'))).toContain('Inodes')
    const { lines } = unwrap(await bundle.journal(node, {}))
    expect(lines.some(({ message }) => message?.includes(`${namespace}/${name}`))).toBe(true)
    const uid = bundle.meta.subject.uid ?? ''
    const { from, to } = bundle.coverage(`journal/${node}`) ?? {}
    expect(to).toBeGreaterThanOrEqual(bundle.meta.collectedAt)
    expect(from).toBeLessThan(bundle.meta.collectedAt)
    const limit = cluster().node.cgroups.version === 1 ? 'memory.limit_in_bytes' : 'memory.max'
    const counters = unwrap(await bundle.cgroup({ namespace, pod: name, container: null }))
    expect([uid === '', counters.get(limit)?.trim()]).toEqual([false, String(32 * 1024 * 1024)])
    expect(unwrap(await bundle.cgroup({ namespace, pod: name, container: '_pod' })).size).toBeGreaterThan(3)
  })

  test('it has who changed the pod, and nothing of other namespaces', TIMEOUT, async () => {
    const { lines } = unwrap(await bundle.auditLog())
    const made = lines.find((line) => textAt(line, 'verb') === 'create' && textAt(line, 'objectRef', 'name') === name)
    expect(textAt(made, 'user', 'username')).not.toBeNull()
    const places = new Set(
      lines.map((line) => textAt(line, 'objectRef', 'namespace') ?? textAt(line, 'objectRef', 'name')),
    )
    expect(places).toEqual(new Set([namespace, cluster().node.name]))
    expect(bundle.coverage('kubernetes/audit')?.from).toBeLessThan(bundle.meta.collectedAt)
  })

  test('it says that there are no kinds of ARC, and asks for no Secret', TIMEOUT, async () => {
    expect(await bundle.list('ephemeralrunners')).toEqual({ kind: 'none' })
    expect(bundle.coverage('kubernetes/ephemeralrunners')?.remark).toContain('does not serve')
    expect(bundle.paths.filter((file) => file.includes('secret'))).toEqual([])
    expect(answerFor(bundle.meta.sources, 'kubernetes/secrets')).toBeNull()
  })

  test('it is not replaced unless that is wanted', TIMEOUT, async () => {
    const again = await collect(cluster(), [name, '-o', path()])
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('--force')])
    const forced = await collect(cluster(), [name, '-o', path(), '--force'])
    expect(forced.code).toBe(0)
    expect(JSON.parse(forced.stdout)).toMatchObject({ subject: { namespace, pod: name } })
  })
}

/** The kubelet makes it a while after the node is ready. */
async function untilLease({ call, node }: NodeCluster): Promise<void> {
  const path = `/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/${node.name}`
  const probe = async (): Promise<true | undefined> => ((await call({ path })).status === 200 ? true : undefined)
  await until({ what: 'the lease of the node', timeoutMs: 120_000, probe })
}

function gonePod(cluster: () => NodeCluster): void {
  test('what is left of it is collected, and with it the pod as somebody kept it', TIMEOUT, async () => {
    const namespace = await createNamespace(cluster(), 'runners')
    const pod = { namespace, name: 'linux-4x8-abc12-runner-gone' }
    await createPod(cluster(), busyboxPod({ ...pod, script: 'echo bye', container: { name: 'runner' } }))
    const last = await untilPhase(cluster(), pod, 'Succeeded')
    await untilEvents(cluster(), pod, ['Scheduled', 'Started'])
    const kept = join(folder, 'kept.json')
    await writeFile(kept, JSON.stringify({ apiVersion: 'v1', kind: 'Pod', ...last }))
    await cluster().callOk({ method: 'DELETE', path: podPath(pod) })
    await until({
      what: 'the pod to go',
      timeoutMs: 120_000,
      probe: async () => ((await readPod(cluster(), pod)) === undefined ? true : undefined),
    })
    const { uid } = last.metadata ?? {}
    const node = cluster().node.name

    const plain = await collect(cluster(), [
      `${pod.name}-suffix`,
      '-o',
      `${folder}/plain/`,
      '--audit-log',
      cluster().auditLog,
    ])
    expect(plain.code).toBe(0)
    expect(plain.stderr).toContain(`logs/${namespace}/${pod.name}: expired`)
    await using left = await opened(join(folder, 'plain'))
    expect(left.meta.subject).toEqual({ namespace, pod: pod.name, uid, node, runner: `${pod.name}-suffix` })
    expect(left.logs()).toMatchObject({ kind: 'blind', reason: { code: 'not-asked' } })
    const { lines } = unwrap(await left.auditLog())
    expect(
      lines.filter((line) => textAt(line, 'verb') === 'delete').map((line) => textAt(line, 'objectRef', 'name')),
    ).toEqual([pod.name])

    const withLast = await collect(cluster(), ['-o', `${folder}/with-last/`, '--last-seen', kept])
    expect(withLast.code).toBe(0)
    await using remembered = await opened(join(folder, 'with-last'))
    expect(remembered.meta.subject).toMatchObject({ namespace, pod: pod.name, uid, node, container: 'runner' })
    const own = unwrap(await remembered.list('pods')).find(({ metadata }) => metadata['uid'] === uid)
    expect(textAt(own, 'metadata', 'annotations', 'signalbox.dev/last-seen')).toMatch(/^\d{4}-/)
    expect(textAt(own, 'status', 'phase')).toBe('Succeeded')
  })

  test('a successor of the same name is not taken for it', TIMEOUT, async () => {
    const namespace = await createNamespace(cluster(), 'runners')
    const pod = { namespace, name: 'again' }
    const plan = busyboxPod({ ...pod, script: 'echo me; exec sleep 600' })
    const kept = join(folder, 'predecessor.json')
    const before = { ...plan, metadata: { ...plan.metadata, uid: '00000000-0000-4000-8000-000000000000' } }
    await writeFile(kept, JSON.stringify(before))
    await createPod(cluster(), plan)
    await untilPhase(cluster(), pod, 'Running')
    const ran = await collect(cluster(), [`${namespace}/again`, '-o', `${folder}/successor/`, '--last-seen', kept])
    expect(ran.code).toBe(0)
    await using bundle = await opened(join(folder, 'successor'))
    expect(bundle.meta.subject.uid).toBe(before.metadata.uid)
    expect(unwrap(await bundle.list('pods')).filter(({ metadata }) => metadata.name === 'again')).toHaveLength(2)
    expect(bundle.paths.filter((path) => path.startsWith('logs/'))).toEqual([])
  })
}

function fewRights(cluster: () => NodeCluster): void {
  test('a service account without any gets nothing, and leaves no file', TIMEOUT, async () => {
    const namespace = await createNamespace(cluster(), 'poor')
    const kubeconfig = await writeToken(cluster(), { name: 'default', namespace, folder })
    const target = join(folder, 'poor')
    const ran = await collect(cluster(), [`${namespace}/any`, '-o', `${target}/`], kubeconfig)
    expect([ran.code, ran.stderr]).toEqual([3, expect.stringContaining('nothing could be read')])
    expect(ran.stderr).toContain('kubernetes/pods: forbidden: ')
    expect((await readdir(folder)).filter((name) => name.includes('poor') && !name.endsWith('.json'))).toEqual([])
  })

  test('one with rights in its namespace gets that, and sees what it did not get', TIMEOUT, async () => {
    const namespace = await createNamespace(cluster(), 'some')
    const kubeconfig = await writeToken(cluster(), { name: 'default', namespace, folder })
    await grantReading(cluster(), namespace)
    await createPod(cluster(), busyboxPod({ namespace, name: 'mine', script: 'echo hello' }))
    await untilPhase(cluster(), { namespace, name: 'mine' }, 'Succeeded')
    const ran = await collect(cluster(), [`${namespace}/mine`, '-o', `${folder}/some/`], kubeconfig)
    expect(ran.code).toBe(0)
    expect(ran.stderr).toContain('kubernetes/nodes: forbidden: ')
    await using bundle = await opened(join(folder, 'some'))
    expect(unwrap(await bundle.list('pods')).map(({ metadata }) => metadata.name)).toEqual(['mine'])
    expect(bundle.coverage('kubernetes/pods')?.remark).toBe(`only of ${namespace}: forbidden elsewhere`)
    expect(await bundle.list('nodes')).toMatchObject({ kind: 'blind', reason: { code: 'forbidden' } })
    expect(unwrap(await bundle.log({ namespace, pod: 'mine', container: 'main', previous: false }))).toContain('hello')
  })
}

async function grantReading(cluster: NodeCluster, namespace: string): Promise<void> {
  const place = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}`
  const rules = [{ apiGroups: [''], resources: ['pods', 'pods/log', 'events'], verbs: ['get', 'list'] }]
  await cluster.callOk({ method: 'POST', path: `${place}/roles`, body: { metadata: { name: 'reader' }, rules } })
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' }
  const subjects = [{ kind: 'ServiceAccount', name: 'default', namespace }]
  const body = { metadata: { name: 'reader' }, roleRef, subjects }
  await cluster.callOk({ method: 'POST', path: `${place}/rolebindings`, body })
  const grant = { group: '', resource: 'pods', verb: 'list' }
  await untilAllowed(cluster, { name: 'default', namespace }, { grant, namespace })
}
