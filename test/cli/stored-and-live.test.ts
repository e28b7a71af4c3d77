import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
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

/** ARC recreated it under the name of the one that was recorded. */
const RECREATED = 'linux-4vcpu-abcde-runner-again'
const NEW_POD = {
  ...STANDING,
  metadata: {
    ...STANDING.metadata,
    name: RECREATED,
    uid: '9d3f6c3e-58d2-4d2b-8a8f-0c8a6a2f1b11',
    creationTimestamp: '2026-11-15T22:00:00Z',
  },
}
const RECORDED_UID = '00000000-0000-4000-8000-00000000beef'
const WATCHED = {
  uid: NEW_POD.metadata.uid,
  namespace: 'arc-ads',
  pod: RECREATED,
  node: 'runner-node-1',
  pool: null,
  seenAt: 1,
  object: null,
}

let server: RecordedServer
let cluster: AnsweringCluster
beforeAll(async () => {
  server = await serveRecorded(
    [
      { bundle: 'force-deleted', namespace: 'arc-ads', pod: POD, uid: UID },
      { bundle: 'oom-container', cause: 'oom-container', namespace: 'arc-runners', pod: OOM, uid: OOM_UID },
      { bundle: 'force-deleted', cause: 'force-deleted', namespace: 'arc-ads', pod: RECREATED, uid: RECORDED_UID },
    ],
    { live: [WATCHED] },
  )
  cluster = await serveDocuments('arc-ads', (path) =>
    /^\/api\/v1\/(?:namespaces\/arc-ads\/)?pods$/.test(path) ? toList([STANDING, KILLED, NEW_POD]) : undefined,
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

describe('a pod that was recreated under the name of one that died', () => {
  const AGAIN = `A live pod has the name arc-ads/${RECREATED} again (UID ${NEW_POD.metadata.uid}`

  it('is answered by why with the recorded death, which says that the name is in use again', async () => {
    const ran = await ask('why', server.url, RECREATED)
    const answer = JSON.parse(ran.stdout) as Answer & { readonly store?: object }
    expect([ran.code, answer.verdict.cause]).toEqual([0, 'force-deleted'])
    const live = { uid: NEW_POD.metadata.uid, createdAt: '2026-11-15T22:00:00.000Z' }
    expect(answer.store).toMatchObject({ uid: RECORDED_UID, live })
    expect(ran.stderr).toContain(`${AGAIN}, created 2026-11-15T22:00:00.000Z)`)
  })

  it.each([['why', '--store'], ['timeline'], ['timeline', '--store']])(
    'is answered by %s %s from the record too',
    async (command, ...flags) => {
      const ran = await runInProcess([...toArgs(command, server.url, RECREATED), ...flags])
      expect([ran.code, ran.stderr]).toEqual([0, expect.stringContaining(AGAIN)])
      expect(ran.stderr).toContain('From the store')
    },
  )

  it.each(['why', 'timeline'])('is read live by %s --live', async (command) => {
    const ran = await runInProcess([...toArgs(command, server.url, RECREATED), '--live'])
    expect(ran.stderr).not.toContain('From the store')
    expect((JSON.parse(ran.stdout) as { subject: object }).subject).toMatchObject({ uid: NEW_POD.metadata.uid })
  })

  it('is mentioned by deaths --runner and by export', async () => {
    const listed = await runInProcess(['deaths', '--runner', RECREATED, '--server', server.url, '-o', 'json'])
    expect([listed.code, listed.stderr]).toEqual([0, expect.stringContaining(AGAIN)])
    const known = { uid: WATCHED.uid, namespace: 'arc-ads', pod: RECREATED }
    expect(JSON.parse(listed.stdout)).toMatchObject({ deaths: [{ uid: RECORDED_UID }], live: [known] })
    const target = join(await mkdtemp(join(tmpdir(), 'signalbox-recreated-')), 'death.tar.gz')
    const exported = await runInProcess(['export', RECREATED, '-o', target, '--server', server.url])
    await rm(dirname(target), { recursive: true })
    expect([exported.code, exported.stderr]).toEqual([0, expect.stringContaining(AGAIN)])
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
  return runInProcess(toArgs(command, url, pod))
}

function toArgs(command: string, url: string, pod: string): readonly string[] {
  return [command, pod, '--kubeconfig', cluster.kubeconfig, '--server', url, '-o', 'json']
}
