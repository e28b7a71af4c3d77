import { describeBreak } from '#/adapters/http/describe-failure.ts'
import { startDeadline } from '#/adapters/http/deadline.ts'
import type { Observed } from '#/core/basics/observed.ts'
import { blind, none, seen } from '#/core/basics/observed.ts'
import type { Clock } from '#/ports/clock.ts'
import type { LogTail, LogTailRequest } from '#/ports/kubernetes.ts'
import type { LogRefusal } from './log-refusal.ts'
import { isLog, readLogRefusal, removedReason, saysRemoved } from './log-refusal.ts'
import { logCall } from './log-request.ts'
import type { Transport } from './transport.ts'
import type { Tuning } from './tuning.ts'

export type LogMeans = { readonly transport: Transport; readonly clock: Clock; readonly tuning: Tuning }

export async function logTail(
  { transport, clock, tuning }: LogMeans,
  request: LogTailRequest,
  signal: AbortSignal,
): Promise<Observed<LogTail>> {
  using deadline = startDeadline(clock, tuning.requestTimeoutMs, signal)
  const { tailLines, previous = false } = request
  const call = logCall(request, { tailLines, previous })
  const what = `GET ${call.path} (${request.container})`
  const silence = { clock, silentAfterMs: tuning.requestTimeoutMs, signal: deadline.signal }
  const stream = await transport.openRead(call, deadline.signal)
  if (stream.kind === 'blind') return { kind: 'blind', reason: stream.reason }
  try {
    if (!isLog(stream)) return refused(await readLogRefusal(stream, what, silence), what)
    return toTail(await readEnd(stream.body, request), what)
  } catch (error) {
    if (signal.aborted) return blind('stopped', `${what}: given up because we are stopping`)
    if (deadline.expired()) return blind('timeout', `${what}: not whole within ${tuning.requestTimeoutMs} ms`)
    return { kind: 'blind', reason: describeBreak(error, what) }
  } finally {
    stream.close()
  }
}

function refused(refusal: LogRefusal, what: string): Observed<LogTail> {
  switch (refusal.kind) {
    case 'nothing-yet':
      return none()
    case 'pod-gone':
      return blind('expired', `${what}: the pod is gone, and its log with it`)
    case 'blind':
      return refusal
  }
}

type End = {
  readonly bytes: Buffer
  /** The bytes begin within a line. */
  readonly partial: boolean
  readonly cut: boolean
}

const LINE_FEED = 10

/** The server can limit bytes from the front only, so the end is kept here, in a bounded window. */
async function readEnd(
  source: AsyncIterable<Uint8Array>,
  { tailBytes, tailLines }: Pick<LogTailRequest, 'tailBytes' | 'tailLines'>,
): Promise<End> {
  const window: Uint8Array[] = []
  let held = 0
  let passed = 0
  let lines = 0
  for await (const chunk of source) {
    window.push(chunk)
    held += chunk.byteLength
    passed += chunk.byteLength
    lines += countLines(chunk)
    for (let oldest = window[0]; oldest !== undefined && held - oldest.byteLength >= tailBytes; oldest = window[0]) {
      window.shift()
      held -= oldest.byteLength
    }
  }
  const bytes = Buffer.concat(window, held).subarray(Math.max(0, held - tailBytes))
  return { bytes, partial: passed > tailBytes, cut: passed > tailBytes || lines >= tailLines }
}

function countLines(chunk: Uint8Array): number {
  let lines = 0
  for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, at + 1)) lines += 1
  return lines
}

function toTail({ bytes, partial, cut }: End, what: string): Observed<LogTail> {
  if (bytes.byteLength === 0) return none()
  const from = partial ? bytes.indexOf(LINE_FEED) + 1 : 0
  const text = bytes.subarray(from).toString('utf8')
  return saysRemoved(text) ? { kind: 'blind', reason: removedReason(what) } : seen({ text, cut })
}
