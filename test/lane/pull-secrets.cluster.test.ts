import { expect, it } from 'vitest'
import { systemClock } from '#/adapters/clock.ts'
import { laneActs } from '#/adapters/kubernetes/acts.ts'
import { openMemoryStore } from '#/adapters/memory/store.ts'
import { applyCopies, lookAtCopies } from '#/cli/pull-secrets/perform-sync.ts'
import { renderDone, renderLook } from '#/cli/pull-secrets/render-sync.ts'
import type { ApiServer } from '#test/cluster/cluster.ts'
import { describeWithApiServer } from '#test/cluster/suites.ts'
import { connectBy, makeNamespace, unhurried } from '#test/contracts/kubernetes-means.ts'

/** A ledger in memory, and evidence that is always kept. */
function openBook() {
  const { ledger } = openMemoryStore().store
  return { ledger, storePod: async () => ({ kind: 'stored', id: 'kept' }) as const }
}

const MERGE = 'application/merge-patch+json'

describeWithApiServer('copies of pull secrets on a real API server', (cluster) => {
  it('are made without a word of the value, and recreate only the listener that waits for it', async () => {
    const kubernetes = connectBy(cluster().kubeconfig)
    const [from, to] = [await makeNamespace(kubernetes), await makeNamespace(kubernetes)]
    const password = 'correct-horse-battery'
    const auth = Buffer.from(`robot:${password}`).toString('base64')
    const value = Buffer.from(JSON.stringify({ auths: { 'ghcr.io': { auth } } })).toString('base64')
    await createSecret(cluster(), from, value)
    for (const name of ['stuck', 'working']) await createListenerPod(cluster(), to, name)
    const store = openBook()
    const tools = { kubernetes, acts: laneActs(kubernetes), clock: systemClock, signal: unhurried }
    const declared = [{ name: 'pull', from, to }]
    const look = await lookAtCopies(declared, tools)
    expect(look).toMatchObject({ copies: [{ plan: { kind: 'create' } }], listeners: [{ name: 'stuck' }] })
    const warrant = {
      actor: 'a person',
      run: 'r',
      epoch: null,
      cap: { run: null, set: null },
      abandonedAfterMs: 60_000,
    }
    const done = await applyCopies(look, store, tools, { force: false, warrant })
    expect(done).toMatchObject({
      copies: [{ result: { kind: 'done' } }],
      listeners: [{ pod: { name: 'stuck' }, result: { kind: 'done' } }],
    })
    const copy = await cluster().callOk({ path: `/api/v1/namespaces/${to}/secrets/pull` })
    expect(copy).toMatchObject({ data: { '.dockerconfigjson': value }, type: 'kubernetes.io/dockerconfigjson' })
    const pods = (await cluster().callOk({ path: `/api/v1/namespaces/${to}/pods` })) as {
      readonly items: readonly { metadata: { name: string } }[]
    }
    expect(pods.items.map(({ metadata }) => metadata.name)).toEqual(['working'])
    const rows = await store.ledger.list({ limit: 10 })
    expect(rows.map(({ act, outcome }) => `${act} ${outcome}`).toSorted()).toEqual([
      'apply-secret done',
      'recreate-listener done',
    ])
    const written = JSON.stringify([look, done, rows, renderLook(look), renderDone(done, 'x')])
    for (const secret of [password, auth, value]) expect(written).not.toContain(secret)
    // A second run finds nothing to do.
    expect(await lookAtCopies(declared, tools)).toMatchObject({ copies: [{ plan: { kind: 'same' } }], listeners: [] })
  }, 120_000)

  it('are left to their other field manager, which is named', async () => {
    const kubernetes = connectBy(cluster().kubeconfig)
    const [from, to] = [await makeNamespace(kubernetes), await makeNamespace(kubernetes)]
    await createSecret(cluster(), from, Buffer.from('{"auths":{"a":{}}}').toString('base64'))
    await createSecret(
      cluster(),
      to,
      Buffer.from('{"auths":{"b":{}}}').toString('base64'),
      '?fieldManager=external-secrets',
    )
    const store = openBook()
    const tools = { kubernetes, acts: laneActs(kubernetes), clock: systemClock, signal: unhurried }
    const warrant = {
      actor: 'a person',
      run: 'r',
      epoch: null,
      cap: { run: null, set: null },
      abandonedAfterMs: 60_000,
    }
    const look = await lookAtCopies([{ name: 'pull', from, to }], tools)
    const refused = await applyCopies(look, store, tools, { force: false, warrant })
    expect(refused.copies[0]?.result).toMatchObject({
      kind: 'refused',
      why: 'another field manager has set it: external-secrets',
    })
    const forced = await applyCopies(look, store, tools, { force: true, warrant })
    expect(forced.copies[0]?.result).toMatchObject({ kind: 'done' })
  }, 120_000)
})

async function createSecret({ callOk }: ApiServer, namespace: string, value: string, query = ''): Promise<void> {
  const body = {
    metadata: { name: 'pull' },
    type: 'kubernetes.io/dockerconfigjson',
    data: { '.dockerconfigjson': value },
  }
  await callOk({ method: 'POST', path: `/api/v1/namespaces/${namespace}/secrets${query}`, body })
}

async function createListenerPod({ callOk }: ApiServer, namespace: string, name: string): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/pods`
  const owner = { apiVersion: 'actions.github.com/v1alpha1', kind: 'AutoscalingListener', name, uid: `uid-${name}` }
  const metadata = {
    name,
    labels: { 'app.kubernetes.io/component': 'runner-scale-set-listener' },
    ownerReferences: [owner],
  }
  const spec = { containers: [{ name: 'listener', image: 'ghcr.io/x:1' }], imagePullSecrets: [{ name: 'pull' }] }
  await callOk({ method: 'POST', path, body: { metadata, spec } })
  const state =
    name === 'stuck'
      ? { waiting: { reason: 'ImagePullBackOff', message: 'denied' } }
      : { running: { startedAt: '2026-01-01T00:00:00Z' } }
  const container = { name: 'listener', ready: name !== 'stuck', restartCount: 0, image: 'x', imageID: '', state }
  const body = { status: { phase: name === 'stuck' ? 'Pending' : 'Running', containerStatuses: [container] } }
  await callOk({ method: 'PATCH', path: `${path}/${name}/status`, contentType: MERGE, body })
}
