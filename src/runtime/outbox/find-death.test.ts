import { describe, expect, it } from 'vitest'
import { memoryStore } from '#/adapters/memory/store.ts'
import type { DeathWrite } from '#/ports/pending-writings.ts'
import type { DeathRecord, Verdict } from '#/ports/store/deaths.ts'
import type { EvidencePart } from '#/ports/store/evidence.ts'
import { StoreUnavailable } from '#/ports/store/store-unavailable.ts'
import { findEvidence, findRow } from './find-death.ts'

const NAMES = { namespace: 'n', node: null, scope: null, job: null, pool: null, repository: null, runner: null }
const VERDICT: Verdict = {
  cause: 'oom-container',
  kind: 'death',
  confidence: 0.9,
  rules: '1',
  judgedAt: 1,
  document: {},
}

function row(more: Partial<DeathRecord> = {}): DeathRecord {
  return { uid: 'a', pod: 'p', ...NAMES, missed: false, diedAt: 1, recordedAt: 2, verdict: null, ...more }
}

function part(source: string, text: string | null, revision = 0): EvidencePart {
  const content = text === null ? null : Buffer.from(text)
  return {
    source,
    observed: text === null ? 'blind' : 'seen',
    reason: text === null ? 'away' : null,
    content,
    revision,
  }
}

const POD = part('kubernetes/pods.json', 'pod', 1)
const gone = async (): Promise<never> => {
  throw new StoreUnavailable('away')
}

async function world(stored: readonly DeathWrite[], waiting: readonly DeathWrite[]) {
  const { deaths } = memoryStore()
  for (const { postmortem, evidence } of stored) await deaths.record(postmortem, evidence)
  const find = async (uid: string) => waiting.filter(({ postmortem }) => postmortem.uid === uid)
  return { deaths, outbox: { find } }
}

const asked = { uid: 'a', name: 'p' }
const texts = (parts: readonly EvidencePart[] | null) =>
  parts?.map(({ source, content }) => `${source} ${content === null ? null : Buffer.from(content).toString()}`)

describe('the row of a death', () => {
  it('is what is stored, filled in by what waits', async () => {
    const waiting = [
      { postmortem: row({ job: 7, missed: false }), evidence: [] },
      { postmortem: row({ verdict: VERDICT }), evidence: [] },
    ]
    const means = await world([{ postmortem: row({ runner: 'r', missed: true }), evidence: [] }], waiting)
    expect(await findRow(means, asked)).toEqual(row({ runner: 'r', job: 7, verdict: VERDICT }))
  })

  it('is what waits where the store is away, and unknown where nothing waits', async () => {
    const { outbox } = await world([], [{ postmortem: row({ verdict: VERDICT }), evidence: [] }])
    expect(await findRow({ deaths: { list: gone }, outbox }, asked)).toMatchObject({ verdict: VERDICT })
    const nothing = await world([], [])
    await expect(findRow({ ...nothing, deaths: { list: gone } }, asked)).rejects.toThrow('away')
    expect(await findRow(nothing, asked)).toBeNull()
  })

  it('is not that of another pod with the same name', async () => {
    const means = await world([{ postmortem: row({ uid: 'b' }), evidence: [] }], [])
    expect(await findRow(means, asked)).toBeNull()
  })
})

describe('the evidence of a death', () => {
  it('is what is stored and what waits, where that saw as much or more', async () => {
    const stored = [{ postmortem: row(), evidence: [POD, part('a.log', 'first', 5), part('b', null)] }]
    const waiting = [{ postmortem: row(), evidence: [part('a.log', null, 9), part('b', 'seen', 9), part('c', 'c', 9)] }]
    const found = texts(await findEvidence(await world(stored, waiting), 'a'))
    expect(found?.toSorted()).toEqual(['a.log first', 'b seen', 'c c', 'kubernetes/pods.json pod'])
  })

  it('needs no store where all of it waits', async () => {
    const first = { postmortem: row(), evidence: [POD, part('a.log', 'one', 1)] }
    const { outbox } = await world([], [first, { postmortem: row(), evidence: [part('a.log', 'two', 2)] }])
    const never = (): Promise<never> => new Promise(() => {})
    const found = texts(await findEvidence({ deaths: { get: never }, outbox }, 'a'))
    expect(found).toEqual(['kubernetes/pods.json pod', 'a.log two'])
  })

  it('is not the half that waits while the store is away', async () => {
    const { outbox } = await world([], [{ postmortem: row(), evidence: [part('a.log', 'two', 2)] }])
    await expect(findEvidence({ deaths: { get: gone }, outbox }, 'a')).rejects.toThrow('away')
  })

  it('is none where nobody has any', async () => {
    expect(await findEvidence(await world([], []), 'a')).toBeNull()
  })
})
