import { bundlePath } from '#/core/evidence/bundle-path.ts'
import { readLogLine } from '#/core/evidence/log-line.ts'
import { blind } from '#/core/basics/observed.ts'
import type { BlindReason, Observed } from '#/core/basics/observed.ts'
import type { PodFacts } from '#/core/kubernetes/pod-facts.ts'
import type { BundleFile } from '#/ports/bundle.ts'
import type { LogTail, LogTailRequest } from '#/ports/kubernetes.ts'
import type { Means } from '#/runtime/collect/request/request.ts'
import type { ContainerPlan, Target } from '#/runtime/collect/request/targets.ts'

export type LogOrder = {
  readonly namespace: string
  readonly pod: string
  readonly container: ContainerPlan
  /** When the container began, where that is known. */
  readonly startedAt: number | null
  /** Older lines are not wanted. */
  readonly since?: number
  /** Of its end; as the request says without it. */
  readonly bytes?: number
}

export function logOrders({ subject, pod, containers }: Target): readonly LogOrder[] {
  const { namespace, pod: name } = subject
  if (namespace === null || name === null) return []
  return containers.map((container) => ({ namespace, pod: name, container, startedAt: readStart(pod, container.name) }))
}

function readStart(pod: PodFacts | null, container: string): number | null {
  const state = pod?.containers.find(({ name }) => name === container)?.state
  return state?.kind === 'running' || state?.kind === 'terminated' ? state.startedAt : null
}

/** A line with its time has more than this, so the number of lines never ends a tail before its bytes do. */
const SHORTEST_LINE = 32

/** The end of a container's log, and of its log before the last restart. */
export async function* gatherLog(means: Means, order: LogOrder): AsyncGenerator<BundleFile> {
  const { kubernetes, signal } = means.request
  if (kubernetes === null) return
  const reading = await readLog(order, (request) =>
    kubernetes.logTail({ ...request, ...toTailRequest(order.bytes ?? means.request.logBytes) }, signal),
  )
  yield* reading.files
  sayLog(means, order, reading.answer)
}

export type ReadTail = (request: Omit<LogTailRequest, 'tailLines' | 'tailBytes'>) => Promise<Observed<LogTail>>

export function toTailRequest(bytes: number): Pick<LogTailRequest, 'tailLines' | 'tailBytes'> {
  return { tailBytes: bytes, tailLines: Math.ceil(bytes / SHORTEST_LINE) }
}

export type LogReading = { readonly files: readonly BundleFile[]; readonly answer: LogAnswer }

export async function readLog(order: LogOrder, readTail: ReadTail): Promise<LogReading> {
  const { namespace, pod, container, since } = order
  const place = { namespace, pod, container: container.name }
  const read = (previous: boolean): Promise<Observed<LogTail>> =>
    readTail({ ...place, previous, ...(since === undefined ? {} : { since }) })
  const current = await read(false)
  const before: Observed<LogTail> | null = container.wasRestarted ? await read(true) : null
  const files = [[current, false] as const, [before, true] as const].flatMap(([tail, previous]) => {
    const text = readText(tail)
    return text === null ? [] : [{ path: bundlePath.log({ ...place, previous }), content: text }]
  })
  return { files, answer: judgeLogs(current, before, order) }
}

export function sayLog({ answers }: Means, { namespace, pod, container }: LogOrder, answer: LogAnswer): void {
  const source = `logs/${namespace}/${pod}/${container.name}`
  if (answer.kind === 'looked') answers.looked(source, { from: answer.from, remark: answer.remark })
  else answers.blind(source, answer.reason)
}

/** A container that has written nothing has an empty log. */
function readText(tail: Observed<LogTail> | null): string | null {
  if (tail === null || tail.kind === 'blind') return null
  return tail.kind === 'seen' ? tail.value.text : ''
}

export type LogAnswer =
  | { readonly kind: 'looked'; readonly from: number | null; readonly remark: string | null }
  | { readonly kind: 'blind'; readonly reason: BlindReason }

/** One name in `meta.json` stands for both logs, so it is blind only where both are. */
export function judgeLogs(
  current: Observed<LogTail>,
  before: Observed<LogTail> | null,
  order: Pick<LogOrder, 'startedAt' | 'since'>,
): LogAnswer {
  if (current.kind === 'blind' && before?.kind !== 'seen') return current
  const remarks = [
    current.kind === 'blind' ? `the log since the restart: ${printed(current.reason)}` : null,
    before?.kind === 'blind' ? `the log before the restart: ${printed(before.reason)}` : null,
    current.kind === 'seen' && current.value.cut ? 'the beginning is cut off' : null,
  ].filter((remark) => remark !== null)
  const from = current.kind === 'seen' ? coveredFrom(current.value, order) : order.startedAt
  return { kind: 'looked', from, remark: remarks.length === 0 ? null : remarks.join('; ') }
}

/** The kubelet turns logs over and serves the newest file only: a log that begins late is not known to be whole. */
const FIRST_WORDS_MS = 60_000

function coveredFrom(
  { text, cut }: LogTail,
  { startedAt, since }: Pick<LogOrder, 'startedAt' | 'since'>,
): number | null {
  const firstAt = readLogLine(text.slice(0, text.indexOf('\n') + 1 || undefined)).at
  if (firstAt === null) return null
  if (!cut && startedAt !== null && firstAt - startedAt < FIRST_WORDS_MS) return startedAt
  return since === undefined || cut ? firstAt : Math.min(since, firstAt)
}

function printed({ code, detail }: BlindReason): string {
  return `${code}: ${detail}`
}

/** Said of a pod whose logs went with it. */
export function goneLog(pod: string): BlindReason {
  return blind('expired', `the pod ${pod} is gone, and its log with it`).reason
}
