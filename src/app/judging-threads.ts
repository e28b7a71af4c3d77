import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { shrinkEvents } from '#/adapters/audit-log/shrink-events.ts'
import { BUNDLE_LIMITS } from '#/adapters/bundle/open-bundle.ts'
import { readAll } from '#/adapters/bundle/read-all.ts'
import { aloneInMemory } from '#/adapters/workers/parcel.ts'
import type { Parcel } from '#/adapters/workers/parcel.ts'
import { openThreadPool } from '#/adapters/workers/thread-pool.ts'
import type { TaskOutcome, ThreadPool } from '#/adapters/workers/thread-pool.ts'
import { blind } from '#/core/basics/observed.ts'
import { parseMeta } from '#/core/evidence/bundle-meta.ts'
import { bundlePath } from '#/core/evidence/bundle-path.ts'
import type { BundleFile } from '#/ports/bundle.ts'
import type { EvidencePart } from '#/ports/store/evidence.ts'
import type { Metrics } from '#/runtime/metrics/metrics.ts'
import type { RedactObject } from '#/runtime/recorder/watching/live-pod-writer.ts'
import type { RecordingMeans } from '#/runtime/recorder/save-death.ts'
import { dropFiles, largestFile } from '#/runtime/why/drop-files.ts'
import { redactToBytes } from './judging.ts'
import type { JudgingTasks } from './judging-tasks.ts'
import type { Part } from '#/app/part/part.ts'

/** Redaction, judgement and packing of evidence in threads: hostile evidence must not hold up the event loop. */
export type JudgingPart = Part & {
  /** By the node of the evidence. */
  readonly judge: RecordingMeans['judge']
  /** For somebody else than the recorder, who must not delay it. */
  readonly judgeFor: (caller: string) => RecordingMeans['judge']
  readonly redact: RecordingMeans['redact']
  readonly redactObject: RedactObject
  /** The stored evidence as the .tar.gz that `why --bundle` reads; a text says why there is none. */
  readonly pack: (evidence: readonly EvidencePart[]) => Promise<Uint8Array | string>
  /** The body of the audit webhook, with of each event only what is kept; null where it cannot be read. */
  readonly readAuditEvents: (body: Uint8Array) => Promise<unknown>
}

export type JudgingLimits = {
  readonly threads: number
  readonly memoryMb: number
  /** For any task, however small. */
  readonly leastMs: number
  readonly msPerMiB: number
  /** Below this size a thread costs more than the redaction. */
  readonly inlineBytes: number
}

export const JUDGING_LIMITS: JudgingLimits = {
  // Two at least: one that is lost in a hostile source must leave one for the others.
  threads: Math.min(4, Math.max(2, availableParallelism() - 1)),
  memoryMb: 192,
  leastMs: 10_000,
  msPerMiB: 2500,
  inlineBytes: 4096,
}

const MIB = 1024 * 1024

type Means = { readonly metrics: Metrics }
type Given = { readonly pool: ThreadPool<JudgingTasks>; readonly limits: JudgingLimits }

export function openJudging({ metrics }: Means, given: Partial<JudgingLimits> = {}, entry = entryFile()): JudgingPart {
  const limits = { ...JUDGING_LIMITS, ...given }
  const pool = openThreadPool<JudgingTasks>({
    entry,
    size: limits.threads,
    memoryMb: limits.memoryMb,
    ...poolMetrics(metrics),
  })
  const means = { pool, limits }
  return {
    judge: (files, signal) => judge(means, files, { key: nodeIn(files), signal }),
    judgeFor: (caller) => (files, signal) => judge(means, files, { key: `for ${caller}`, signal }),
    redact: (file, key) => redact(means, file, key),
    redactObject: (object, key) => redactObject(means, object, key),
    pack: (evidence) => pack(means, evidence),
    readAuditEvents: (body) => readAuditEvents(means, body),
    dispose: async () => pool[Symbol.asyncDispose](),
  }
}

/** The source beside this file, or what `deploy/npm/build.ts` made of it, in the folder above the chunks. */
function entryFile(): URL {
  const extension = import.meta.filename.endsWith('.ts') ? 'ts' : 'js'
  const folders = [import.meta.dirname, dirname(import.meta.dirname)]
  const candidates = folders.map((folder) => join(folder, `judging-thread.${extension}`))
  const found = candidates.find((path) => existsSync(path))
  if (found === undefined) throw new Error(`no judging-thread.${extension}: the installation is incomplete`)
  return pathToFileURL(found)
}

const TASKS = ['redact', 'judge', 'pack', 'read-audit-events'] as const
const OUTCOMES = ['done', 'failed', 'too-costly', 'stopped'] as const

function poolMetrics(metrics: Metrics) {
  const tasks = metrics.counter('signalbox_thread_tasks_total', 'Tasks that ended in a thread, by task and outcome.')
  const waiting = metrics.gauge('signalbox_thread_tasks_waiting', 'Tasks that wait for a thread, by task.')
  for (const task of TASKS) {
    waiting.set(0, { task })
    for (const outcome of OUTCOMES) tasks.add(0, { task, outcome })
  }
  return {
    ended: (task: string, outcome: (typeof OUTCOMES)[number]): void => tasks.add(1, { task, outcome }),
    waiting: (task: string, count: number): void => waiting.set(count, { task }),
  }
}

function withinMs({ leastMs, msPerMiB }: JudgingLimits, bytes: number): number {
  return Math.ceil(leastMs + (msPerMiB * bytes) / MIB)
}

async function redact({ pool, limits }: Given, file: BundleFile, key: string): ReturnType<RecordingMeans['redact']> {
  const { path } = file
  const { bytes, isOurs } = await readContent(file.content)
  if (bytes.length < limits.inlineBytes) return redactToBytes({ path, content: bytes })
  const input = (): Parcel<{ readonly path: string; readonly content: Uint8Array }> => {
    const content = isOurs ? aloneInMemory(bytes) : new Uint8Array(bytes)
    return { value: { path, content }, transfer: [content.buffer] }
  }
  const outcome = await pool.run('redact', input, { key, withinMs: withinMs(limits, bytes.length) })
  if (outcome.kind !== 'done') return blind('refused-by-limits', `too costly to redact: ${outcome.why}`)
  const { content } = outcome.value
  return {
    kind: 'redacted',
    path: outcome.value.path,
    content: Buffer.from(content.buffer, content.byteOffset, content.byteLength),
  }
}

/** Whether the bytes were made here: then nobody misses them when they are moved. */
async function readContent(
  content: BundleFile['content'],
): Promise<{ readonly bytes: Uint8Array; readonly isOurs: boolean }> {
  if (typeof content === 'string') return { bytes: Buffer.from(content), isOurs: true }
  if (content instanceof Uint8Array) return { bytes: content, isOurs: false }
  return { bytes: await readAll(content, BUNDLE_LIMITS.fileBytes), isOurs: true }
}

async function redactObject(means: Given, object: object, key: string): Promise<object | null> {
  const text = JSON.stringify(object)
  const redacted = await redact(means, { path: 'object.json', content: text }, key)
  if (redacted.kind === 'blind') return null
  const after = Buffer.from(redacted.content).toString('utf8')
  return after === text ? object : (JSON.parse(after) as object)
}

type Order = { readonly key: string; readonly signal: AbortSignal }
type Files = ReadonlyMap<string, Uint8Array>

/** The evidence that is read when everything else together costs too much. */
const BARE: ReadonlySet<string> = new Set([bundlePath.resource('pods'), bundlePath.resource('events')])

/** A source that makes a judgement too costly is left out, because a verdict with a gap is better than none. */
async function judge(means: Given, files: Files, order: Order): ReturnType<RecordingMeans['judge']> {
  const whole = await tryJudge(means, files, order)
  if (whole.kind === 'done') return whole.value
  const largest = largestFile(files)
  const without = await tryJudge(
    means,
    drop(files, (path) => path === largest, whole.why),
    order,
  )
  if (without.kind === 'done') return without.value
  const bare = await tryJudge(
    means,
    drop(files, (path) => !BARE.has(path), without.why),
    order,
  )
  if (bare.kind === 'done') return bare.value
  throw new Error(`the evidence cannot be judged: ${bare.why}`)
}

function drop(files: Files, isDropped: (path: string) => boolean, why: string): Files {
  return dropFiles(files, isDropped, { code: 'refused-by-limits', detail: `too costly to judge: ${why}` })
}

type Tried = TaskOutcome<Awaited<ReturnType<RecordingMeans['judge']>>>

function tryJudge({ pool, limits }: Given, files: Files, order: Order): Promise<Tried> {
  const bytes = [...files.values()].reduce((sum, { length }) => sum + length, 0)
  const input = (): Parcel<{ readonly files: Files }> => {
    const copies = [...files].map(([path, content]) => [path, new Uint8Array(content)] as const)
    return { value: { files: new Map(copies) }, transfer: copies.map(([, { buffer }]) => buffer) }
  }
  return pool.run('judge', input, { ...order, withinMs: withinMs(limits, bytes) })
}

function nodeIn(files: Files): string {
  const meta = files.get(bundlePath.meta)
  const reading = meta === undefined ? null : parseMeta(Buffer.from(meta).toString('utf8'))
  return reading?.kind === 'read' ? (reading.meta.subject.node ?? '') : ''
}

async function pack({ pool, limits }: Given, evidence: readonly EvidencePart[]): Promise<Uint8Array | string> {
  const bytes = evidence.reduce((sum, { content }) => sum + (content?.length ?? 0), 0)
  const input = (): Parcel<{ readonly evidence: readonly EvidencePart[] }> => {
    const copies = evidence.map((part) => ({
      ...part,
      content: part.content === null ? null : new Uint8Array(part.content),
    }))
    return {
      value: { evidence: copies },
      transfer: copies.flatMap(({ content }) => (content === null ? [] : [content.buffer])),
    }
  }
  const outcome = await pool.run('pack', input, { key: 'for export', withinMs: withinMs(limits, bytes) })
  if (outcome.kind === 'done') return outcome.value
  throw new Error(`the evidence cannot be packed: ${outcome.why}`)
}

/** A small body cannot hold enough to matter. */
const INLINE_BODY_BYTES = 64 * 1024

async function readAuditEvents({ pool, limits }: Given, body: Uint8Array): Promise<unknown> {
  if (body.length < INLINE_BODY_BYTES) return shrinkEvents(body)
  const input = (): Parcel<{ readonly content: Uint8Array }> => {
    const content = aloneInMemory(body)
    return { value: { content }, transfer: [content.buffer] }
  }
  const order = { key: 'for audit webhook', withinMs: withinMs(limits, body.length) }
  const outcome = await pool.run('read-audit-events', input, order)
  return outcome.kind === 'done' ? outcome.value : null
}
