import { gunzipSync } from 'node:zlib'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { packEvidence } from '#/app/judging.ts'
import { rejudgePage } from './rejudge.ts'
import { fakeCluster, listed, runnerPod } from '#test/recorder/fake-cluster.ts'
import { judge, startRecorder } from '#test/recorder/start-recorder.ts'
import type { RunningRecorder } from '#test/recorder/start-recorder.ts'

const NEVER = new AbortController().signal
const EXPIRED = { observed: 'blind', reason: 'expired: removed by retention', content: null } as const

const running: RunningRecorder[] = []
afterEach(async () => {
  for (const one of running.splice(0)) await one.stop()
})

/** The store, after one runner was killed for its memory. */
async function withOneDeath() {
  const cluster = fakeCluster()
  const recorder = startRecorder({ kubernetes: cluster.kubernetes })
  running.push(recorder)
  cluster.events(listed([]))
  cluster.pods(listed([runnerPod({ name: 'a' })]))
  const terminated = { exitCode: 137, reason: 'OOMKilled', finishedAt: new Date().toISOString() }
  cluster.pods({ kind: 'modified', object: runnerPod({ name: 'a', phase: 'Failed', state: { terminated } }) })
  await vi.waitFor(() => expect(recorder.deaths.length).toBe(1), { timeout: 30_000, interval: 20 })
  return recorder.store
}

describe('the stored evidence of a death', () => {
  it('can be judged again and exported', async () => {
    const { deaths } = await withOneDeath()
    const page = (apply: boolean) =>
      rejudgePage({ judge, rules: 'new' }, deaths, { filter: { limit: 10 }, apply, now: 1, signal: NEVER })
    expect(await page(false)).toMatchObject({ judged: 1, changed: [], next: null })
    await deaths.rejudge('uid-a', {
      cause: 'node-lost',
      kind: 'death',
      confidence: 0.6,
      rules: 'old',
      judgedAt: 1,
      document: {},
    })
    expect((await page(false)).changed).toMatchObject([
      { before: { cause: 'node-lost' }, after: { cause: 'oom-container' } },
    ])
    expect((await page(true)).changed).toHaveLength(1)
    expect(await page(true)).toMatchObject({ changed: [] })
    const packed = await packEvidence((await deaths.get('uid-a'))?.evidence ?? [])
    expect(Buffer.from(packed as Uint8Array).subarray(0, 2)).toEqual(Buffer.from([0x1f, 0x8b]))
  })

  it('is not judged while the recorder works on it, and is judged where the recorder gave up', async () => {
    const { deaths } = await withOneDeath()
    const unjudged = (await deaths.list({ limit: 1 })).map((row) =>
      Object.assign({}, row, { verdict: null, recordedAt: 0 }),
    )
    const page = (now: number) =>
      rejudgePage(
        { judge, rules: 'new' },
        { ...deaths, list: async () => unjudged },
        { filter: { limit: 10 }, apply: false, now, signal: NEVER },
      )
    expect(await page(599_999)).toMatchObject({ judged: 0, changed: [] })
    expect((await page(600_000)).changed).toMatchObject([{ before: null, after: { cause: 'oom-container' } }])
  })

  it('is not judged for a caller that went, and nothing is changed for one', async () => {
    const { deaths } = await withOneDeath()
    const gone = new AbortController()
    const judging = {
      rules: 'new',
      judge: async (...given: Parameters<typeof judge>) => (gone.abort(), judge(...given)),
    }
    const order = { filter: { limit: 10 }, apply: true, now: 1, signal: gone.signal }
    await expect(rejudgePage(judging, deaths, order)).rejects.toThrow('aborted')
    expect(await deaths.history('uid-a')).toEqual([])
  })

  it('is not judged again where retention deleted a part, and the export says what is missing', async () => {
    const { deaths } = await withOneDeath()
    const stored = await deaths.get('uid-a')
    const expired = (stored?.evidence ?? []).map((part) =>
      part.source === 'kubernetes/pods.json' ? Object.assign({}, part, EXPIRED) : part,
    )
    const get: typeof deaths.get = async () => (stored === null ? null : { ...stored, evidence: expired })
    const order = { filter: { limit: 10 }, apply: true, now: 1, signal: NEVER }
    expect(await rejudgePage({ judge, rules: 'new' }, { ...deaths, get }, order)).toMatchObject({
      judged: 0,
      withoutEvidence: 1,
    })
    const packed = gunzipSync(await packEvidence(expired)).toString()
    expect(packed).toMatch(/"kubernetes\/pods": \{\s+"ok": false,\s+"reason": "expired/)
  })
})
