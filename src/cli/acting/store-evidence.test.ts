import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { systemClock } from '#/adapters/clock.ts'
import { blind, none, seen } from '#/core/basics/observed.ts'
import type { Observed } from '#/core/basics/observed.ts'
import type { ActCandidate, CandidateNow } from '#/ports/act-candidate.ts'
import type { Kubernetes, ListRequest } from '#/ports/kubernetes.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'
import type { Server } from '#/cli/api-client/ask-server.ts'
import { newAttempt, rowIn, runnerNamed } from '#test/contracts/ledger-builders.ts'
import { runInProcess } from '#test/cli/run-in-process.ts'
import { serveRecorded } from '#test/server/recorded-server.ts'
import { storeAtServer, storeInFolder } from './store-evidence.ts'

const UID = '11111111-2222-4333-8444-555555555555'
const SECRET = `ghp_${'a1B2'.repeat(9)}`
const metadata = { namespace: 'runners', name: 'a', uid: UID, resourceVersion: '1' }
const POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { ...metadata, creationTimestamp: '2026-06-06T20:00:00Z' },
  spec: { nodeName: 'n1', containers: [{ name: 'runner', image: 'ghcr.io/actions/actions-runner' }] },
  status: { phase: 'Running', containerStatuses: [{ name: 'runner', state: { running: {} } }] },
} as unknown as KubeObject
const EVENT = { metadata, involvedObject: { kind: 'Pod', namespace: 'runners', name: 'a' }, reason: 'BackOff' }
const OTHER = { metadata, involvedObject: { kind: 'Pod', namespace: 'runners', name: 'other' }, reason: 'Strange' }

function cluster(get: (kind: string) => Observed<KubeObject>): Kubernetes {
  const list = async ({ resource: { plural } }: ListRequest) => {
    if (plural !== 'pods') return seen({ items: [EVENT, OTHER], resourceVersion: '1' })
    const pod = get(plural)
    return pod.kind === 'seen' ? seen({ items: [pod.value], resourceVersion: '1' }) : pod
  }
  const logTail = async () => seen({ text: `2026-06-06T20:01:00Z the token is ${SECRET}\n`, cut: false })
  const one = async ({ resource }: { resource: { plural: string } }) => get(resource.plural)
  return { list, logTail, get: one } as unknown as Kubernetes
}
const whole = cluster((kind) => seen({ ...POD, kind }))

const candidate = {
  act: 'delete-ephemeral-runner',
  subject: runnerNamed('a', UID),
  scaleSet: 'runners/linux',
  runners: [{ namespace: 'runners', name: 'a', identity: { uid: UID, generation: 1, owner: null } }],
} as unknown as ActCandidate
const github = { at: 0, observed: seen({ id: 4711, isOnline: false, isBusy: false }) }
const now = { runners: [{ snapshot: { subject: { name: 'a' }, github } }] } as unknown as CandidateNow
const { signal } = new AbortController()

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-evidence-test-'))
})
afterEach(async () => await rm(folder, { recursive: true, force: true }))

describe('evidence in a folder', () => {
  it('is one redacted bundle per attempt that why can read, and is written once', async () => {
    const { storeEvidence: store } = storeInFolder(folder, { kubernetes: whole, clock: systemClock })
    expect(await store({ id: 3, candidate, now }, signal)).toEqual({ kind: 'stored', id: 'attempt-3.tar.gz' })
    const path = join(folder, 'attempt-3.tar.gz')
    const { ino } = await stat(path)
    expect(await store({ id: 3, candidate, now }, signal)).toEqual({ kind: 'stored', id: 'attempt-3.tar.gz' })
    expect((await stat(path)).ino).toBe(ino)
    const { stdout } = await runInProcess(['why', '--bundle', path, '-o', 'json'])
    expect(stdout).toContain('"a"')
    expect(await readFile(path)).not.toContain(SECRET)
  })

  it.each([
    ['a record that may not be read', cluster(() => blind('forbidden', 'no')), 'forbidden'],
    ['no cluster', null, 'not-asked'],
  ])('is not stored for %s', async (_what, kubernetes, code) => {
    const { storeEvidence: store } = storeInFolder(folder, { kubernetes, clock: systemClock })
    expect(await store({ id: 3, candidate, now }, signal)).toMatchObject({ kind: 'blind', reason: { code } })
  })

  it('is stored for a runner without a pod', async () => {
    const noPod = cluster((kind) => (kind === 'pods' ? none() : seen(POD)))
    const { storeEvidence: store } = storeInFolder(folder, { kubernetes: noPod, clock: systemClock })
    expect(await store({ id: 3, candidate, now }, signal)).toMatchObject({ kind: 'stored' })
  })
})

async function ask(url: string, question: Parameters<Server['ask']>[0]): ReturnType<Server['ask']> {
  const answer = await fetch(`${url}${question.path}`, { method: 'POST', body: JSON.stringify(question.body) })
  const body = Buffer.from(await answer.arrayBuffer())
  if (answer.ok) return { kind: 'answered', body, answeredAt: null }
  return { kind: 'refused', status: answer.status, why: body.toString('utf8'), advice: [], retryAfterMs: null }
}

describe('evidence at the server', () => {
  it('is stored once, redacted, readable by why, and no death', async () => {
    await using server = await serveRecorded([])
    const attempt = rowIn(await server.ledger.begin(newAttempt({ subject: candidate.subject })))
    const to = {
      url: server.url,
      ask: async (question: Parameters<Server['ask']>[0]) => await ask(server.url, question),
    }
    const { storeEvidence: store } = storeAtServer(to, { kubernetes: whole, clock: systemClock })
    const stored = await store({ id: attempt.id, candidate, now }, signal)
    if (stored.kind !== 'stored') throw new Error(JSON.stringify(stored))
    expect(await store({ id: attempt.id, candidate, now }, signal)).toEqual(stored)
    expect(stored.id).not.toBe(UID)
    expect(await server.deaths.list({ limit: 10 })).toEqual([])
    expect(await server.deaths.list({ limit: 10, name: 'a' })).toEqual([])
    const kept = await server.deaths.get(stored.id)
    const files = new Map(kept?.evidence.map(({ source, content }) => [source, Buffer.from(content ?? '').toString()]))
    expect([...files.keys()].toSorted()).toEqual([
      'github/runners.json',
      'kubernetes/ephemeralrunners.json',
      'kubernetes/events.json',
      'kubernetes/pods.json',
      'logs/runners/a/runner.log',
      'meta.json',
    ])
    expect(files.get('logs/runners/a/runner.log')).toContain('the token is')
    expect(files.get('kubernetes/events.json')).toContain('BackOff')
    expect([...files.values()].join('')).not.toMatch(new RegExp(`${SECRET}|Strange`))
    const why = await runInProcess(['why', stored.id, '--store', '--server', server.url])
    expect(why.stderr).toContain('what was kept of runners/a before an act')
  })

  it('is refused for an attempt that ended or never was', async () => {
    await using server = await serveRecorded([])
    const to = {
      url: server.url,
      ask: async (question: Parameters<Server['ask']>[0]) => await ask(server.url, question),
    }
    const { storeEvidence: store } = storeAtServer(to, { kubernetes: whole, clock: systemClock })
    expect(await store({ id: 9, candidate, now }, signal)).toMatchObject({ kind: 'blind' })
  })
})
