import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toList, serveDocuments } from './answering-cluster.ts'
import type { AnsweringCluster } from './answering-cluster.ts'
import { runInProcess } from './run-in-process.ts'
import { serveRecorded } from '#test/server/recorded-server.ts'
import type { RecordedServer } from '#test/server/recorded-server.ts'

const POD = 'ads-4vcpu-n8qcd-runner-w3k7v'
const UID = '5a46ab77-4782-4323-9774-7d3eb770f796'
const STANDING = {
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: {
    namespace: 'arc-ads',
    name: POD,
    uid: UID,
    resourceVersion: '1',
    creationTimestamp: '2026-11-15T21:13:56Z',
  },
  spec: { nodeName: 'runner-node-1', containers: [{ name: 'runner', image: 'runner' }] },
  status: { phase: 'Running' },
}

const OOM = 'linux-8g-k2xvq-runner-7hn4d'
const OOM_UID = '1e2b4110-711a-4b22-aab4-fa1293278387'
const KILLED = {
  ...STANDING,
  metadata: { ...STANDING.metadata, namespace: 'arc-runners', name: OOM, uid: OOM_UID },
  status: {
    phase: 'Failed',
    startTime: '2026-11-15T20:38:00Z',
    containerStatuses: [
      {
        name: 'runner',
        state: { terminated: { exitCode: 137, reason: 'OOMKilled', finishedAt: '2026-11-15T20:38:38Z' } },
      },
    ],
  },
}

let server: RecordedServer
let cluster: AnsweringCluster
beforeAll(async () => {
  server = await serveRecorded([
    { bundle: 'force-deleted', namespace: 'arc-ads', pod: POD, uid: UID },
    { bundle: 'oom-container', cause: 'oom-container', namespace: 'arc-runners', pod: OOM, uid: OOM_UID },
  ])
  cluster = await serveDocuments('arc-ads', (path) =>
    /^\/api\/v1\/(?:namespaces\/arc-ads\/)?pods$/.test(path) ? toList([STANDING, KILLED]) : undefined,
  )
})
afterAll(async () => {
  await cluster[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
})

describe('an existing pod, of which more was recorded than is live', () => {
  it('is really seen live', async () => {
    const ran = await ask('timeline', 'http://127.0.0.1:9')
    expect([ran.code, ran.stdout]).toEqual([0, expect.stringContaining(POD)])
  })

  it.each(['why', 'timeline'])('is answered by %s from the record', async (command) => {
    const ran = await ask(command, server.url)
    expect([ran.code, ran.stderr]).toEqual([0, expect.stringContaining('From the store')])
  })
})

describe('an existing pod, of which as much is known live', () => {
  it('is answered from the record when that saw more sources', async () => {
    const live = await ask('why', 'http://127.0.0.1:9', OOM)
    const ran = await ask('why', server.url, OOM)
    const [seenLive, seenThen] = [live, ran].map(({ stdout }) => JSON.parse(stdout) as Answer)
    expect([seenLive?.verdict.cause, seenThen?.verdict.cause]).toEqual(['oom-container', 'oom-container'])
    expect(seenLive?.blind.map(({ source }) => source)).toEqual(expect.arrayContaining(UNSEEN))
    expect(seenThen?.blind.filter(({ source }) => UNSEEN.includes(source))).toEqual([])
    expect([ran.code, ran.stderr]).toEqual([0, expect.stringContaining('From the store')])
  })
})

const UNSEEN = ['kubernetes/audit', 'journal', 'cgroup']
type Answer = {
  readonly verdict: { readonly cause: string }
  readonly blind: readonly { readonly source: string }[]
}

function ask(command: string, url: string, pod = POD) {
  return runInProcess([command, pod, '--kubeconfig', cluster.kubeconfig, '--server', url, '-o', 'json'])
}
