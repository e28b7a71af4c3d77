import { describe, expect, it } from 'vitest'
import { openMemoryStore } from '#/adapters/memory/store.ts'
import { finalizerActs } from '#/adapters/kubernetes/acts.ts'
import { readHeldPod } from '#/core/pools/reconcile/held-pod.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'
import { releaseFinalizer } from '#/runtime/act/release-finalizer.ts'
import { WARRANT } from '#test/act/actor.ts'
import { serveDocuments, toList } from '#test/cli/answering-cluster.ts'
import { runInProcess } from '#test/cli/run-in-process.ts'
import { SmallCluster } from './small-cluster.ts'

const NOW = Date.parse('2026-06-06T12:00:00Z')
const TERMS = { olderThanMs: 600_000, force: false }
const FINALIZER = 'signalbox.dev/evidence'

function podOf(name: string, change: object = {}) {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      uid: `uid-of-${name}`,
      namespace: 'runners',
      resourceVersion: '7',
      labels: { 'signalbox.dev/pool': 'linux' },
      finalizers: [FINALIZER],
      deletionTimestamp: '2026-06-06T11:00:00Z',
    },
    spec: { nodeName: 'n1', containers: [{ name: 'runner' }] },
    status: { phase: 'Failed' },
    ...change,
  }
}

function open() {
  const cluster = new SmallCluster()
  const object = cluster.put('pods', podOf('linux-1'))
  const { ledger } = openMemoryStore().store
  const { kubernetes } = cluster
  const means = {
    ledger,
    clock: { now: () => NOW },
    signal: new AbortController().signal,
    finalizers: finalizerActs(kubernetes),
    read: ({ namespace, name }: { readonly namespace: string; readonly name: string }) =>
      kubernetes.get({ resource: RESOURCES.pods, namespace, name }, new AbortController().signal),
  }
  const release = async (terms = TERMS) => releaseFinalizer(readHeldPod(object)!, { ...means, terms } as never, WARRANT)
  return { cluster, ledger, release, object }
}

const rowsOf = async ({ ledger }: ReturnType<typeof open>) =>
  (await ledger.list({ limit: 10 })).map(({ act, outcome, decidedBy }) => [act, outcome, decidedBy])

describe('the release of a finalizer', () => {
  it('lets the pod go, and leaves a row', async () => {
    const world = open()
    expect(await world.release()).toMatchObject({ kind: 'ended', outcome: 'done' })
    expect(world.cluster.list('pods')).toEqual([])
    expect(await rowsOf(world)).toEqual([['strip-finalizer', 'done', null]])
  })

  it('looks again: a pod that runs after all keeps it', async () => {
    const world = open()
    const running = { phase: 'Running', containerStatuses: [{ name: 'runner', state: { running: {} } }] }
    world.cluster.change('pods', 'linux-1', () => ({ status: running }))
    expect(await world.release()).toMatchObject({ kind: 'ended', outcome: 'refused' })
    expect(world.cluster.list('pods')[0]?.metadata.finalizers).toEqual([FINALIZER])
    expect(await rowsOf(world)).toEqual([['strip-finalizer', 'refused', 'no-worker-process']])
  })

  it('changes only the version that was judged', async () => {
    const world = open()
    world.cluster.onWrite = () => {
      world.cluster.onWrite = () => undefined
      world.cluster.change('pods', 'linux-1', (one: KubeObject) => ({
        metadata: { ...one.metadata, finalizers: [FINALIZER, 'other.dev/keeps'] },
      }))
    }
    expect(await world.release()).toMatchObject({ kind: 'ended', outcome: 'failed' })
    expect(world.cluster.list('pods')[0]?.metadata.finalizers).toEqual([FINALIZER, 'other.dev/keeps'])
  })

  it('leaves a later pod of the same name alone', async () => {
    const world = open()
    world.cluster.vanish('pods', 'linux-1')
    const later = podOf('linux-1')
    world.cluster.put('pods', { ...later, metadata: { ...later.metadata, uid: 'uid-of-another' } })
    expect(await world.release()).toMatchObject({ kind: 'ended', outcome: 'vanished' })
    expect(world.cluster.list('pods')[0]?.metadata.finalizers).toEqual([FINALIZER])
  })
})

describe('signalbox finalizers release', () => {
  it('shows what is stuck and why, and changes nothing without --yes', async () => {
    const running = { phase: 'Running', containerStatuses: [{ name: 'runner', state: { running: {} } }] }
    const pods = [podOf('linux-1'), podOf('linux-2', { status: running })]
    await using cluster = await serveDocuments('runners', (path) =>
      path === '/api/v1/namespaces/runners/pods' ? toList(pods) : undefined,
    )
    const ran = await runInProcess(['finalizers', 'release', '-n', 'runners', '--kubeconfig', cluster.kubeconfig])
    expect(ran.code).toBe(0)
    expect(ran.stdout).toMatch(/runners\/linux-1 +runners\/linux +\d.* would release +it should have been gone/u)
    expect(ran.stdout).toMatch(/runners\/linux-2 .* stays +it still runs/u)
    expect(ran.stdout).toContain('This is a dry run')
  })

  it('releases with --yes also where nothing can keep a ledger, and says that no row is left', async () => {
    const pods = [podOf('linux-1')]
    await using cluster = await serveDocuments('runners', (path) =>
      path === '/api/v1/pods' ? toList(pods) : path.endsWith('/runners/pods/linux-1') ? pods[0] : undefined,
    )
    const args = ['finalizers', 'release', '-A', '--yes', '--kubeconfig', cluster.kubeconfig]
    const ran = await runInProcess([...args, '--server', `${cluster.url}/nothing`])
    expect(ran.code).toBe(0)
    expect(ran.stdout).toMatch(/runners\/linux-1 .* released +the finalizer is gone/u)
    expect(ran.stderr).toContain('this leaves no row')
  })

  it('says which namespace it could not read, and does not call it empty', async () => {
    await using cluster = await serveDocuments('runners', () => undefined)
    const ran = await runInProcess(['finalizers', 'release', '-n', 'runners', '--kubeconfig', cluster.kubeconfig])
    expect(ran.code).toBe(3)
    expect(ran.stdout).toContain('Not read: runners')
  })
})
