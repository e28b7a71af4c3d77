import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { openAuditLogFile } from '#/adapters/audit-log/audit-log-file.ts'
import { memoryStore } from '#/adapters/memory/store.ts'
import type { Death } from '#/core/recorder/death.ts'
import type { Store } from '#/ports/store/store.ts'
import { attentive } from '#test/recorder/attentive.ts'
import type { Attentive } from '#test/recorder/attentive.ts'
import { startServe } from '#test/recorder/serve-process.ts'
import { storedParts } from '#test/recorder/start-recorder.ts'
import { startRecorder } from '#test/recorder/start-recorder.ts'
import type { RunningRecorder } from '#test/recorder/start-recorder.ts'
import { runSignalbox } from '#test/cli/run-signalbox.ts'
import type { NodeCluster } from '#test/cluster/cluster.ts'
import { busyboxPod, createNamespace, createPod, podPath, untilPhase } from '#test/cluster/pods.ts'
import type { BusyboxPod } from '#test/cluster/pods.ts'
import { describeOnSharedNode } from '#test/cluster/suites.ts'
import { connectBy } from '#test/contracts/kubernetes-means.ts'
import { ask } from '#test/postgres/ask.ts'
import { testDatabase } from '#test/postgres/test-database.ts'

const { connectionString } = await testDatabase()

const TIMEOUT = { timeout: 400_000 }
const PATIENT = { timeout: 120_000, interval: 100 }
const LABELS = { 'actions.github.com/scale-set-name': 'linux' }
const SELECTOR = 'actions.github.com/scale-set-name'
const NOW = '$(date -u +%Y-%m-%d\\ %H:%M:%SZ)'
/** What a runner prints that has taken a job. */
const AT_WORK = `echo "√ Connected to GitHub"; echo "${NOW}: Listening for Jobs"; echo "${NOW}: Running job: build"`
const DONE = `${AT_WORK}; sleep 2; echo "${NOW}: Job build completed with result: Succeeded"; exit 0`

type Name = { readonly namespace: string; readonly name: string }

const stops: (() => PromiseLike<unknown>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

function watchOver(
  cluster: NodeCluster,
  namespace: string,
  store: Store = memoryStore(),
): RunningRecorder & Omit<Attentive, 'kubernetes'> {
  const connection = connectBy(cluster.kubeconfig)
  const { kubernetes, ...heard } = attentive(connection)
  const settings = { labelSelector: SELECTOR, namespaces: [namespace], settleMs: 1500 }
  const started = startRecorder({ kubernetes, store, audit: openAuditLogFile(cluster.auditLog), settings })
  stops.push(() => connection[Symbol.asyncDispose](), started.stop)
  return { ...started, ...heard }
}

const runner = (namespace: string, name: string, more: Partial<BusyboxPod> & Pick<BusyboxPod, 'script'>) =>
  busyboxPod({ namespace, name, container: { name: 'runner' }, metadata: { name, namespace, labels: LABELS }, ...more })

const removeNow = (cluster: NodeCluster, pod: { namespace: string; name: string }) =>
  cluster.callOk({ method: 'DELETE', path: `${podPath(pod)}?gracePeriodSeconds=0` })

const died = (recorder: RunningRecorder, count: number) =>
  vi.waitFor(() => expect(recorder.deaths.length).toBe(count), { timeout: 240_000, interval: 100 })

const savedLivePods = (store: Store, count: number) =>
  vi.waitFor(async () => expect((await store.livePods.page(null, 1000)).length).toBe(count), { timeout: 120_000 })

describeOnSharedNode('the recorder on a real node', (cluster) => {
  test('an OOM, a force-deleted working runner and a clean end are three rows', TIMEOUT, async () => {
    const namespace = await createNamespace(cluster(), 'runners')
    const recorder = watchOver(cluster(), namespace)
    const [oom, forced, clean] = ['oom', 'forced', 'clean'].map((name) => ({
      namespace,
      name: `linux-abc-runner-${name}`,
    })) as [Name, Name, Name]
    await createPod(cluster(), runner(namespace, forced.name, { script: `${AT_WORK}; exec sleep 600` }))
    const greedy = `${AT_WORK}; sleep 1; exec tail /dev/zero`
    await createPod(cluster(), runner(namespace, oom.name, { script: greedy, memory: '32Mi' }))
    await createPod(cluster(), runner(namespace, clean.name, { script: DONE }))
    await untilPhase(cluster(), forced, 'Running')
    await untilPhase(cluster(), oom, 'Failed')
    await untilPhase(cluster(), clean, 'Succeeded')
    await vi.waitFor(() => {
      expect(recorder.hasHeard(forced.name, 'Running job: build')).toBe(true)
      expect(recorder.hasSeenEvent(forced.name, 'Started')).toBe(true)
    }, PATIENT)
    await removeNow(cluster(), forced)
    await died(recorder, 3)
    const of = (name: string) => recorder.deaths.find(({ pod }) => pod === name)
    expect(of(oom.name)).toMatchObject({ cause: 'oom-container', kind: 'death', pool: 'linux', missed: false })
    expect(of(clean.name)).toMatchObject({ cause: 'completed-normally', kind: 'not-a-death' })
    expect(of(forced.name)).toMatchObject({
      cause: 'force-deleted',
      actor: expect.any(String) as string,
      missed: false,
    })
    const parts = await storedParts(recorder.store, of(forced.name)?.uid ?? '')
    expect(parts.get('kubernetes/pods.json')).toContain(forced.name)
    expect(parts.get(`logs/${namespace}/${forced.name}/runner.log`)).toContain('Running job: build')
    expect(parts.get('kubernetes/events.json')).toContain('Started')
    expect(parts.get('kubernetes/nodes.json')).toContain(cluster().node.name)
    expect((await recorder.store.deaths.get(of(clean.name)?.uid ?? ''))?.evidence).toEqual([])
  })

  test('fifty pods that are force-deleted within a second are fifty deaths with the last object', TIMEOUT, async () => {
    const namespace = await createNamespace(cluster(), 'runners')
    const store = memoryStore()
    const recorder = watchOver(cluster(), namespace, store)
    const names = Array.from({ length: 50 }, (_, index) => `linux-abc-runner-${index}`)
    // No scheduler knows them: fifty shells at once are more than this node should carry.
    const spec = { schedulerName: 'nobody' }
    await Promise.all(names.map((name) => createPod(cluster(), runner(namespace, name, { script: 'true', spec }))))
    await savedLivePods(store, 50)
    await Promise.all(names.map((name) => removeNow(cluster(), { namespace, name })))
    await died(recorder, 50)
    const rows = await store.deaths.list({ limit: 100 })
    expect(new Set(rows.map(({ pod }) => pod))).toEqual(new Set(names))
    for (const { uid, pod } of rows) {
      const parts = await storedParts(store, uid)
      expect(parts.get('kubernetes/pods.json')).toContain(pod)
      expect(parts.get(`logs/${namespace}/${pod}/runner`)).toMatch(/^[a-z-]+: /)
    }
  })

  test('a pod that vanished while nothing was watching is missed, with its last object', TIMEOUT, async () => {
    const namespace = await createNamespace(cluster(), 'runners')
    const name = 'linux-abc-runner-missed'
    const store = memoryStore()
    const first = watchOver(cluster(), namespace, store)
    await createPod(cluster(), runner(namespace, name, { script: `${AT_WORK}; exec sleep 600` }))
    await untilPhase(cluster(), { namespace, name }, 'Running')
    await savedLivePods(store, 1)
    await first.stop()
    await removeNow(cluster(), { namespace, name })
    const second = watchOver(cluster(), namespace, store)
    await died(second, 1)
    expect(second.deaths[0]).toMatchObject({ pod: name, missed: true })
    const parts = await storedParts(store, second.deaths[0]?.uid ?? '')
    expect(parts.get('kubernetes/pods.json')).toContain('signalbox.dev/last-seen')
    expect(parts.get(`logs/${namespace}/${name}/runner`)).toContain('is gone')
  })

  test('serve records a death, survives a kill -9, and its evidence can be exported and judged', TIMEOUT, async () => {
    const namespace = await createNamespace(cluster(), 'runners')
    const folder = await mkdtemp(join(tmpdir(), 'signalbox-serve-'))
    stops.push(() => rm(folder, { recursive: true }))
    const args = ['--kubeconfig', cluster().kubeconfig, '-n', namespace, '--data', folder]
    const first = await startServe(args, connectionString)
    stops.push(() => first.stop('SIGKILL'))
    expect(first.said()).toContain(`watching   pods with ${SELECTOR} in ${namespace}`)
    const lasting = `${AT_WORK}; exec sleep 600`
    await createPod(cluster(), runner(namespace, 'linux-abc-runner-left', { script: lasting }))
    const greedy = `${AT_WORK}; sleep 1; exec tail /dev/zero`
    await createPod(cluster(), runner(namespace, 'linux-abc-runner-oom', { script: greedy, memory: '32Mi' }))
    const listed = (server: string, count: number) =>
      vi.waitFor(
        async () => {
          const { stdout } = await runSignalbox(['deaths', '--server', server, '-o', 'json'])
          const { deaths } = JSON.parse(stdout) as { readonly deaths: readonly Death[] }
          expect(deaths.filter(({ confidence }) => confidence > 0).length).toBe(count)
          return deaths
        },
        { timeout: 180_000, interval: 500 },
      )
    expect(await listed(first.url, 1)).toMatchObject([{ pod: 'linux-abc-runner-oom', cause: 'oom-container' }])
    // A death is stored before it is reported, and live pods are saved in batches.
    await vi.waitFor(() => expect(first.said()).toContain('a runner died'), PATIENT)
    const living = `select pod from sightings where namespace = '${namespace}'`
    const left = { pod: 'linux-abc-runner-left' }
    await vi.waitFor(async () => expect(await ask(connectionString, living)).toContainEqual(left), PATIENT)
    await first.stop('SIGKILL')
    await removeNow(cluster(), { namespace, name: 'linux-abc-runner-left' })
    const second = await startServe(args, connectionString)
    stops.push(() => second.stop('SIGKILL'))
    const deaths = await listed(second.url, 2)
    expect(deaths.find(({ pod }) => pod.endsWith('left'))).toMatchObject({ missed: true })
    const path = join(folder, 'oom.tar.gz')
    const server = ['--server', second.url]
    expect((await runSignalbox(['export', 'linux-abc-runner-oom', '-o', path, ...server])).code).toBe(0)
    const why = await runSignalbox(['why', '--bundle', path, '-o', 'json'])
    expect(JSON.parse(why.stdout)).toMatchObject({ verdict: { cause: 'oom-container' } })
    const again = await runSignalbox(['rejudge', '-o', 'json', ...server])
    expect([again.code, JSON.parse(again.stdout)]).toMatchObject([0, { judged: 2, changed: [] }])
    await second.stop('SIGTERM')
    expect(second.said()).toContain('Stopped.')
  })
})
