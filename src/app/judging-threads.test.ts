import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { printMeta } from '#/core/evidence/bundle-meta.ts'
import type { EvidencePart } from '#/ports/store/evidence.ts'
import { createMetrics } from '#/runtime/metrics/metrics.ts'
import { runnerPod } from '#test/recorder/fake-cluster.ts'
import { makeJudge, packEvidence, redactToBytes } from './judging.ts'
import { openJudging } from './judging-threads.ts'
import type { JudgingLimits, JudgingPart } from './judging-threads.ts'

/** Spelled apart, so that nobody takes it for a real one. */
const TOKEN = ['ghp', '016C7e42F292c6912E7710c838347Ae178B4'].join('_')
const { signal } = new AbortController()
const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

/** However busy this machine is. */
const PATIENT_MS = 150_000

/** What arrives late still counts, so that only a task without an end is too costly on every machine. */
const ENDLESS = pathToFileURL(resolve(import.meta.dirname, '../../test/workers/endless-thread.ts'))

const opened: JudgingPart[] = []
afterEach(async () => {
  for (const part of opened.splice(0)) await part.dispose()
})

function open(limits: Partial<JudgingLimits> = {}, entry?: URL) {
  const metrics = createMetrics()
  const part = openJudging({ metrics }, { leastMs: PATIENT_MS, ...limits }, entry)
  opened.push(part)
  return { ...part, exposed: metrics.expose }
}

const DIED = Date.parse('2026-11-18T04:00:00Z')
const SOURCES = ['kubernetes/pods', 'kubernetes/audit', 'kubernetes/events'] as const

/** A runner that was killed for its memory, with an audit log of this many lines. */
function evidence(auditLines = 1): ReadonlyMap<string, Uint8Array> {
  const terminated = { exitCode: 137, reason: 'OOMKilled', finishedAt: new Date(DIED).toISOString() }
  const pod = runnerPod({ name: 'a', phase: 'Failed', state: { terminated } })
  const looked = { kind: 'looked', coverage: { from: null, to: null, remark: null } } as const
  const meta = {
    collectedAt: DIED + 1000,
    subject: { namespace: 'runners', pod: 'a', uid: 'uid-a', node: 'n1', container: 'runner' },
    sources: new Map(SOURCES.map((source) => [source, looked])),
  }
  const list = (items: readonly object[]): Uint8Array =>
    encode(JSON.stringify({ kind: 'List', apiVersion: 'v1', metadata: {}, items }))
  const event = (line: number): string => JSON.stringify({ kind: 'Event', auditID: `${line}`, verb: 'get', user: {} })
  return new Map([
    ['meta.json', encode(printMeta(meta))],
    ['kubernetes/pods.json', list([pod])],
    ['kubernetes/events.json', list([])],
    ['kubernetes/audit.jsonl', encode(Array.from({ length: auditLines }, (_, line) => event(line)).join('\n'))],
  ])
}

const toPart = ([source, content]: readonly [string, Uint8Array]): EvidencePart => {
  return { source, observed: 'seen', reason: null, content, revision: 1 }
}

describe('judging in threads', () => {
  it('redacts, judges and packs as the same code does without threads', async () => {
    const { redact, judge, pack } = open({ inlineBytes: 0 })
    const log = { path: 'logs/runners/a/runner.log', content: `token ${TOKEN}\n` }
    expect(await redact(log, 'n1')).toEqual(await redactToBytes(log))
    const files = evidence()
    expect(await judge(files, signal)).toEqual(await makeJudge()(files, signal))
    expect(await judge(new Map(), signal)).toBeNull()
    const parts = [...files].map(toPart)
    expect(Buffer.from((await pack(parts)) as Uint8Array)).toEqual(await packEvidence(parts))
    expect(await pack([])).toContain('no evidence is kept of it')
  })

  it('waits for a thread: nothing is done before the event loop turns', async () => {
    const { redact, judge, pack, readAuditEvents } = open({ inlineBytes: 0 })
    const files = evidence(1000)
    const tasks = [
      () => redact({ path: 'x.log', content: 'nothing\n' }, 'n1'),
      () => judge(files, signal),
      () => pack([...files].map(toPart)),
      () => readAuditEvents(encode(JSON.stringify({ items: [{ verb: 'x'.repeat(100_000) }] }))),
    ]
    for (const task of tasks) {
      let isDone = false
      const doing = task().then(() => (isDone = true))
      // Microtasks only: an answer of a thread cannot arrive meanwhile.
      for (let count = 0; count < 10_000; count += 1) await Promise.resolve()
      expect(isDone).toBe(false)
      await doing
    }
  })

  it('leaves the given evidence in place', async () => {
    const { redact, judge } = open({ inlineBytes: 0 })
    const files = evidence()
    const bytes = encode('something\n')
    await redact({ path: 'x.log', content: bytes }, 'n1')
    await judge(files, signal)
    expect([bytes.length, ...[...files.values()].map(({ length }) => length)]).not.toContain(0)
  })

  it('reads a file that comes in pieces', async () => {
    const { redact } = open({ inlineBytes: 0 })
    const pieces = async function* () {
      for (const text of ['one\n', `two ${TOKEN.slice(0, 9)}`, `${TOKEN.slice(9)}\n`]) yield encode(text)
    }
    const redacted = await redact({ path: 'journal/n1.log', content: pieces() }, 'n1')
    const text = redacted.kind === 'blind' ? '' : new TextDecoder().decode(redacted.content)
    expect(text).toMatch(/^one\ntwo ‹redacted:/)
  })

  it('redacts objects, and returns one without a secret as it is', async () => {
    const { redactObject } = open({ inlineBytes: 0 })
    const clean = runnerPod({ name: 'a' })
    expect(await redactObject(clean, 'n1')).toBe(clean)
    const spoilt = runnerPod({ name: 'a', env: [{ name: 'MY_TOKEN', value: 'hunter2' }] })
    expect(JSON.stringify(await redactObject(spoilt, 'n1'))).not.toContain('hunter2')
  })

  it('makes a source blind that costs too much to redact, and stores nothing of it', async () => {
    const { redact, redactObject, exposed } = open({ leastMs: 1, msPerMiB: 0 }, ENDLESS)
    const hostile = { path: 'journal/n1.jsonl', content: 'eyJ-'.repeat(2 * 1024 * 1024) }
    expect(await redact(hostile, 'n1')).toEqual({
      kind: 'blind',
      reason: { code: 'refused-by-limits', detail: 'too costly to redact: it took longer than 0.001 s' },
    })
    expect(await redactObject({ metadata: { name: 'eyJ-'.repeat(2 * 1024 * 1024) } }, 'n1')).toBeNull()
    expect(exposed()).toContain('signalbox_thread_tasks_total{outcome="too-costly",task="redact"} 2\n')
    expect(exposed()).toContain('signalbox_thread_tasks_waiting{task="redact"} 0\n')
  })

  it('judges without the source that makes a judgement too costly, and says so', async () => {
    const { judge } = open({ memoryMb: 64 })
    const judged = await judge(evidence(600_000), signal)
    expect(judged?.verdict.cause).toBe('oom-container')
    expect(judged?.evidence.sources.get('kubernetes/audit')).toEqual({
      kind: 'blind',
      reason: {
        code: 'refused-by-limits',
        detail: 'refused-by-limits: too costly to judge: it needed more than 64 MB of memory',
      },
    })
  })

  it('reports evidence that cannot be judged at all', async () => {
    const { judge, judgeFor } = open({ leastMs: 0, msPerMiB: 0 }, ENDLESS)
    for (const attempt of [judge, judgeFor('rejudge')]) {
      await expect(attempt(evidence(), signal)).rejects.toThrow('the evidence cannot be judged: it took longer')
    }
  })

  it('stops a judgement with its caller', async () => {
    const { judge } = open()
    await expect(judge(evidence(), AbortSignal.abort(new Error('the caller is gone')))).rejects.toThrow('gone')
  })
})
