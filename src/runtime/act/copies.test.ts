import { describe, expect, it } from 'vitest'
import { openMemoryStore } from '#/adapters/memory/store.ts'
import { blind, none, seen } from '#/core/basics/observed.ts'
import type { LedgerRow } from '#/core/ledger/ledger-row.ts'
import type { StorePodEvidence } from '#/ports/act-candidate.ts'
import type { LaneActs, RemovalOutcome, SecretOutcome } from '#/ports/kubernetes-acts.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'
import { sha256 } from '#/runtime/sha256.ts'
import { applySecret } from './apply-secret.ts'
import type { SecretPair } from './apply-secret.ts'
import type { ActWarrant } from './means.ts'
import { recreateListener } from './recreate-listener.ts'

const WARRANT: ActWarrant = {
  actor: 'person',
  run: 'run-1',
  epoch: null,
  cap: { run: null, set: null },
  abandonedAfterMs: 60_000,
}
const clock = { now: () => 0, sleep: async () => undefined }
const { signal } = new AbortController()

class Crash extends Error {}

function listenerPod(version: number, state: object): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      namespace: 's',
      name: 'l',
      uid: 'u',
      resourceVersion: String(version),
      labels: { 'app.kubernetes.io/component': 'runner-scale-set-listener' },
      ownerReferences: [{ apiVersion: 'v1', kind: 'AutoscalingListener', name: 'l', uid: 'o' }],
    },
    status: { containerStatuses: [{ name: 'listener', restartCount: 0, state }] },
  }
}

const STUCK = { waiting: { reason: 'ImagePullBackOff' } }
const WORKS = { running: { startedAt: '2026-01-01T00:00:00Z' } }
const TARGET = { namespace: 's', name: 'l', uid: 'u', scaleSet: 'n/lane', reason: 'ImagePullBackOff' }

type Plan = {
  /** To each deletion; the last one stays. */
  readonly answers?: readonly RemovalOutcome[]
  readonly storePod?: StorePodEvidence
}

const KEPT: StorePodEvidence = async ({ id }) => ({ kind: 'stored', id: `evidence-${id}` })

/** The pod at each read; the last one stays. */
function openListener(pods: readonly KubeObject[], { answers = [{ kind: 'done' }], storePod = KEPT }: Plan = {}) {
  const { store } = openMemoryStore()
  const deleted: string[] = []
  const order: string[] = []
  let reads = 0
  const remove: LaneActs['recreateListener'] = async ({ resourceVersion }) => {
    deleted.push(resourceVersion)
    order.push('delete')
    return answers[Math.min(deleted.length, answers.length) - 1] ?? { kind: 'done' }
  }
  const read = async () => {
    const pod = pods[Math.min(reads, pods.length - 1)]
    reads += 1
    return pod === undefined ? none() : seen(pod)
  }
  const keep: StorePodEvidence = async (attempt, ...rest) => {
    const stored = await storePod(attempt, ...rest)
    order.push(`${attempt.pod.namespace}/${attempt.pod.name} kept`)
    return stored
  }
  const run = () =>
    recreateListener(
      TARGET,
      { ledger: store.ledger, clock, signal, kubernetes: { recreateListener: remove }, read, storePod: keep },
      WARRANT,
    )
  return { run, deleted, order, rows: () => store.ledger.list({ limit: 10 }) }
}

describe('recreating a listener', () => {
  it('deletes the version that it proved to be stuck', async () => {
    const { run, deleted, rows } = openListener([listenerPod(1, STUCK), listenerPod(2, STUCK)])
    expect(await run()).toMatchObject({ kind: 'done' })
    expect(deleted).toEqual(['2'])
    expect((await rows())[0]).toMatchObject({ act: 'recreate-listener', outcome: 'done', scaleSet: 'n/lane' })
  })

  it('keeps the pod first, and its row says where', async () => {
    const { run, order, rows } = openListener([listenerPod(1, STUCK)])
    await run()
    expect(order).toEqual(['s/l kept', 'delete'])
    const [row] = await rows()
    expect(row).toMatchObject({ outcome: 'done', evidence: `evidence-${row?.id}` })
    expect(row?.steps.map(({ step }) => step)).toEqual(['planned', 'storing-evidence', 'deleting', 'done'])
    expect(row?.gates.at(-1)).toMatchObject({ gate: 'evidence-stored', holds: true })
  })

  it('deletes nothing that it could not keep', async () => {
    const storePod: StorePodEvidence = async () => blind('unreachable', 'the server is away')
    const { run, deleted, rows } = openListener([listenerPod(1, STUCK)], { storePod })
    const why = expect.stringContaining('the server is away') as string
    expect(await run()).toMatchObject({ kind: 'refused', why })
    expect(deleted).toEqual([])
    const [row] = await rows()
    expect(row).toMatchObject({ outcome: 'refused', decidedBy: 'evidence-stored', evidence: null })
    expect(row?.gates.map(({ gate, holds }) => `${gate} ${holds}`)).toEqual([
      'is-listener true',
      'stuck-in-pull true',
      'never-began true',
      'within-cap true',
      'evidence-stored null',
    ])
  })

  it('leaves one that works by now', async () => {
    const { run, deleted, rows } = openListener([listenerPod(1, STUCK), listenerPod(2, WORKS)])
    expect(await run()).toMatchObject({ kind: 'refused' })
    expect(deleted).toEqual([])
    expect((await rows())[0]).toMatchObject({ outcome: 'refused' })
  })

  it('judges it anew when the kubelet writes to it in between', async () => {
    const pods = [listenerPod(1, STUCK), listenerPod(1, STUCK), listenerPod(2, WORKS)]
    const { run, deleted } = openListener(pods, { answers: [{ kind: 'changed', message: 'modified' }] })
    expect(await run()).toMatchObject({ kind: 'refused' })
    expect(deleted).toEqual(['1'])
  })

  it('has nothing to do if ARC has made another one', async () => {
    const { run, deleted, rows } = openListener([])
    expect(await run()).toMatchObject({ kind: 'vanished' })
    expect(deleted).toEqual([])
    expect((await rows())[0]).toMatchObject({ outcome: 'vanished' })
  })
})

const COPY = { name: 'pull', from: 'a', to: 'b' }

function secret(value: string): KubeObject {
  const metadata = { name: 'pull', uid: 'u', resourceVersion: '7' }
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata,
    type: 'kubernetes.io/dockerconfigjson',
    data: { '.dockerconfigjson': value },
  }
}

function openSecret(pair: SecretPair, answer: () => SecretOutcome = () => ({ kind: 'done' })) {
  const { store } = openMemoryStore()
  const orders: unknown[] = []
  const apply: LaneActs['applySecret'] = async (order) => {
    orders.push(order)
    return answer()
  }
  const now = { at: 0 }
  const run = () =>
    applySecret(
      COPY,
      { force: false },
      {
        ledger: store.ledger,
        clock: { ...clock, now: () => now.at },
        signal,
        kubernetes: { applySecret: apply },
        read: async () => pair,
      },
      WARRANT,
    )
  const rows = (): Promise<readonly LedgerRow[]> => store.ledger.list({ limit: 10 })
  return { run, rows, orders, now }
}

describe('applying a copy', () => {
  it('names the version that was compared, and keeps both digests and no value in the ledger', async () => {
    const { run, rows, orders } = openSecret({ original: seen(secret('bmV3')), copy: seen(secret('b2xk')) })
    expect(await run()).toMatchObject({ kind: 'done' })
    expect(orders).toMatchObject([{ existing: { uid: 'u', resourceVersion: '7' }, force: false }])
    const [row] = await rows()
    expect(row).toMatchObject({ act: 'apply-secret', outcome: 'done', subject: { namespace: 'b' } })
    expect(row?.gates.find(({ gate }) => gate === 'digest')?.why).toMatch(/^digest:\w{12} → digest:\w{12}$/)
    expect(JSON.stringify(row)).not.toMatch(/bmV3|b2xk/)
    // Who reads the ledger must not be able to try passwords on it.
    const guesses = ['bmV3', 'b2xk', 'new', 'old'].map((guess) => sha256(Buffer.from(guess)).slice(0, 12))
    for (const guess of guesses) expect(JSON.stringify(row)).not.toContain(guess)
  })

  it.each<readonly [string, SecretPair, string]>([
    ['an original that cannot be read', { original: blind('forbidden', '403'), copy: none() }, 'blind'],
    ['no original', { original: none(), copy: none() }, 'refused'],
  ])('is refused for %s, and written down', async (_, pair, kind) => {
    const { run, rows, orders } = openSecret(pair)
    expect(await run()).toMatchObject({ kind })
    expect(orders).toEqual([])
    expect((await rows())[0]).toMatchObject({ outcome: 'refused', decidedBy: 'direction' })
  })

  it('leaves it to another field manager', async () => {
    const pair = { original: seen(secret('bmV3')), copy: seen(secret('b2xk')) }
    const { run, rows } = openSecret(pair, () => ({ kind: 'owned', managers: ['helm'] }))
    expect(await run()).toMatchObject({ kind: 'refused', why: 'another field manager has set it: helm' })
    expect((await rows())[0]).toMatchObject({ outcome: 'refused', decidedBy: 'field-manager' })
  })

  it('closes what a crash left, and does it', async () => {
    let isCrashing = true
    const { run, rows, now } = openSecret({ original: seen(secret('bmV3')), copy: none() }, () => {
      if (isCrashing) throw new Crash()
      return { kind: 'done' }
    })
    await expect(run()).rejects.toThrow(Crash)
    expect((await rows()).map(({ outcome }) => outcome)).toEqual(['planned'])
    isCrashing = false
    now.at += 60_000
    expect(await run()).toMatchObject({ kind: 'done' })
    expect((await rows()).map(({ outcome }) => outcome)).toEqual(['done', 'failed'])
  })
})
