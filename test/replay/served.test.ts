import { randomUUID } from 'node:crypto'
import { afterAll, describe, expect, it } from 'vitest'
import { systemClock } from '#/adapters/clock.ts'
import { toFields } from '#/core/basics/fields.ts'
import { serveGitHub } from '#/sim/github/serve-github.ts'
import { kubernetesFacade } from '#/sim/replay/kubernetes-facade.ts'
import { createObjectStore } from '#/sim/replay/object-store.ts'
import type { Written } from '#/sim/replay/play.ts'
import { gather } from '#test/contracts/kubernetes-gather.ts'
import { unhurried } from '#test/contracts/kubernetes-means.ts'
import { kubernetesServed } from '#test/contracts/kubernetes-served.ts'
import type { PodPlace } from '#test/contracts/kubernetes-served.ts'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'
import { connectReplay } from './connect-replay.ts'

const FEW_CHANGES = 20
const store = createObjectStore(FEW_CHANGES)
const logs = new Map<string, readonly Written[]>()
const source = { store, clock: systemClock, readLog: (uid: string) => logs.get(uid) ?? null }
const served = await serveGitHub(kubernetesFacade(source))
afterAll(() => served.stop())

function put(pod: PodPlace, more: object = {}, spec: object = {}): string {
  const metadata = { ...pod, uid: randomUUID(), ...more }
  store.put('pods', { metadata, spec: { containers: [{ name: 'main' }], ...spec }, status: { phase: 'Pending' } })
  return metadata.uid
}

const server = {
  connect: (tuning: { readonly watchSeconds?: number } = {}) => connectReplay(served.url, tuning.watchSeconds),
  namespace: async () => `t-${randomUUID()}`,
  makePod: async (pod: PodPlace, labels = {}) => put(pod, { labels }),
  labelPod: async (pod: PodPlace, labels: Readonly<Record<string, string>>) => {
    const object = store.get('pods', pod) ?? {}
    store.put('pods', { ...object, metadata: { ...toFields(object['metadata']), labels } })
  },
  removePod: async (pod: PodPlace) => store.remove('pods', pod),
}

describe('a replay as an API server', () => {
  kubernetesServed(() => server)

  it('answers 410 for a resource version that it no longer has', async () => {
    await using kubernetes = server.connect()
    const namespace = await server.namespace()
    const from = store.version()
    for (let count = 0; count < FEW_CHANGES * 2; count += 1) put({ namespace, name: `noise-${count}` })
    const watching = (version: number) =>
      kubernetes.raw(
        `/api/v1/namespaces/${namespace}/pods?watch=true&resourceVersion=${version}&timeoutSeconds=1`,
        unhurried,
      )
    expect(await watching(from)).toMatchObject({ value: { text: expect.stringContaining('"code":410') as string } })
    expect(await watching(store.version())).not.toMatchObject({
      value: { text: expect.stringContaining('"code":410') as string },
    })
  })

  it('changes nothing', async () => {
    await using kubernetes = server.connect()
    const pod = { namespace: await server.namespace(), name: 'kept' }
    const uid = put(pod)
    const outcome = await kubernetes.delete({ resource: RESOURCES.pods, ...pod, preconditions: { uid } }, unhurried)
    expect(outcome.kind).not.toBe('done')
    expect(store.get('pods', pod)).not.toBeNull()
  })

  it('answers not found for a malformed name', async () => {
    const request = new Request(`${served.url}/api/v1/namespaces/%E0%A4%A/pods`)
    expect((await kubernetesFacade(source)(request)).status).toBe(404)
  })

  it('refuses a malformed selector instead of matching everything', async () => {
    await using kubernetes = server.connect()
    const namespace = await server.namespace()
    put({ namespace, name: 'one' })
    const listed = await kubernetes.list({ resource: RESOURCES.pods, namespace, labelSelector: '((' }, unhurried)
    expect(listed).toMatchObject({ kind: 'blind' })
  })
})

const runningState = {
  status: {
    phase: 'Running',
    containerStatuses: [{ name: 'main', state: { running: { startedAt: '2026-01-01T00:00:00Z' } } }],
  },
}

function putRunning(pod: PodPlace, uid: string, isRunning: boolean): void {
  const ended = { terminated: { startedAt: '2026-01-01T00:00:00Z', finishedAt: '2026-01-01T00:00:09Z', exitCode: 0 } }
  const over = { status: { phase: 'Succeeded', containerStatuses: [{ name: 'main', state: ended }] } }
  const spec = { nodeName: 'n1', containers: [{ name: 'main' }] }
  store.put('pods', { metadata: { ...pod, uid }, spec, ...(isRunning ? runningState : over) })
}

function line(at: number, text: string): Written {
  return { at, text: `${new Date(at).toISOString().replace('Z', '000001Z')} ${text}` }
}

describe('the logs of a replay', () => {
  it('are followed as they are written, to the end of the container', async () => {
    await using kubernetes = server.connect()
    const pod = { namespace: await server.namespace(), name: 'talker' }
    const uid = randomUUID()
    const now = Date.now()
    const before = [line(now - 5000, 'first'), line(now - 4000, 'second')]
    logs.set(uid, before)
    putRunning(pod, uid, true)
    const place = { namespace: pod.namespace, pod: pod.name, container: 'main' }
    const tail = await kubernetes.logTail({ ...place, tailLines: 1, tailBytes: 1000 }, unhurried)
    expect(tail).toMatchObject({ kind: 'seen', value: { text: expect.stringMatching(/ second\n$/u) as string } })
    expect(JSON.stringify(tail)).not.toContain('first')
    const laterAt = Date.now() + 1500
    logs.set(uid, [...before, line(laterAt, 'later')])
    await using followed = gather((signal) => kubernetes.followLog(place, signal))
    await followed.until('the later line', (event) => event.kind === 'line' && event.text === 'later')
    expect(Date.now()).toBeGreaterThanOrEqual(laterAt)
    putRunning(pod, uid, false)
    const end = await followed.until('the end', ({ kind }) => kind === 'ended')
    expect(end).toEqual({ kind: 'ended', why: 'container-ended' })
    const said = followed.events.flatMap((event) => (event.kind === 'line' ? [event.text] : []))
    expect(said).toEqual(['first', 'second', 'later'])
  })

  it('are expired if they were not recorded, and none before the start', async () => {
    await using kubernetes = server.connect()
    const pod = { namespace: await server.namespace(), name: 'unrecorded' }
    putRunning(pod, randomUUID(), true)
    const tail = { namespace: pod.namespace, pod: pod.name, container: 'main', tailLines: 9, tailBytes: 999 }
    expect(await kubernetes.logTail(tail, unhurried)).toMatchObject({ kind: 'blind', reason: { code: 'expired' } })
    expect(await kubernetes.logTail({ ...tail, previous: true }, unhurried)).toEqual({ kind: 'none' })
    const waiting = { namespace: pod.namespace, name: 'waiting' }
    put(waiting, {}, { nodeName: 'n1' })
    expect(await kubernetes.logTail({ ...tail, pod: 'waiting' }, unhurried)).toEqual({ kind: 'none' })
  })
})
