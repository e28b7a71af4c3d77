import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Blind, BlindReason } from '#/core/basics/observed.ts'
import { hintLine, namespaceArgs, readOldest } from './copy-journal.ts'
import type { JournalCopyOptions } from './copy-journal.ts'
import { journalctlArgs } from './journalctl-args.ts'
import { endingGaps, ENVIRONMENT, readRemarks } from './journalctl-process.ts'
import { createLineSplitter } from './line-splitter.ts'
import type { RawLine } from './line-splitter.ts'
import { createLineSelector } from './select-lines.ts'
import type { Death, LineSelector } from './select-lines.ts'

export type AroundQuery = {
  readonly since: number
  readonly until: number | null
  readonly deaths: readonly Death[]
  readonly now: number
}

export type JournalAround = {
  readonly kind: 'read'
  readonly bytes: Buffer
  readonly from: number
  readonly newest: number | null
  /** Within this many milliseconds of each death, all that matters is there; null: in the whole window. */
  readonly around: number | null
  readonly gaps: readonly BlindReason[]
}

const LONGEST_LINE_BYTES = 1024 * 1024

/**
 * A window of the journal in bounded memory, the newest line first: when time or room runs out, what is nearest to the deaths is
 * there, and the answer says what is not.
 */
export async function readAround(
  options: JournalCopyOptions,
  query: AroundQuery,
  signal: AbortSignal,
): Promise<JournalAround | Blind> {
  const { since, until, deaths, now } = query
  const first = await readOldest(options, signal)
  if (first.kind === 'blind') return first
  const selector = createLineSelector({ maxBytes: options.maxBytes, deaths, end: until ?? now })
  const window = { since, ...(until === null ? {} : { until }) }
  const args = [...journalctlArgs(options, window), ...namespaceArgs(options), '--reverse']
  const read = await readLines({ program: options.program, args, selector }, signal)
  const { lines, around, oldest, newest, gaps } = selector.selection()
  const begun = Math.max(first.value, since)
  const reached = read.unread === null ? begun : Math.max(begun, oldest ?? until ?? now)
  return {
    kind: 'read',
    bytes: Buffer.concat([...lines.toReversed(), ...hintLine(read.remarks)]),
    from: reached,
    newest,
    around,
    gaps: [...gaps, ...describeUnread(read.unread, reached), ...read.gaps],
  }
}

type Reading = { readonly program: string; readonly args: readonly string[]; readonly selector: LineSelector }
/** Why older lines were not read; null if all were. */
type Unread = 'full' | 'slow' | null

async function readLines({ program, args, selector }: Reading, signal: AbortSignal) {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env: ENVIRONMENT })
  const kill = (): void => void child.kill('SIGKILL')
  signal.addEventListener('abort', kill, { once: true })
  if (signal.aborted) kill()
  const closed = once(child, 'close').catch(() => null)
  const remarking = readRemarks(child.stderr)
  const splitter = createLineSplitter(LONGEST_LINE_BYTES)
  let unread: Unread = null
  for await (const chunk of child.stdout as AsyncIterable<Uint8Array>) {
    for (const line of splitter.push(chunk)) take(selector, line)
    if (!selector.isFull()) continue
    unread = 'full'
    break
  }
  kill()
  signal.removeEventListener('abort', kill)
  await closed
  if (signal.aborted) unread = 'slow'
  const last = unread === null ? splitter.end() : null
  if (last !== null) take(selector, last)
  const remarks = await remarking
  return { remarks, unread, gaps: unread === null ? endingGaps(child, remarks) : [] }
}

function take(selector: LineSelector, { bytes, isOverlong }: RawLine): void {
  if (isOverlong) selector.skipOverlong()
  else selector.push(bytes)
}

function describeUnread(unread: Unread, reached: number): readonly BlindReason[] {
  if (unread === null) return []
  const what = `the journal before ${new Date(reached).toISOString()} was not read`
  if (unread === 'slow') return [{ code: 'timeout', detail: `${what}: time ran out` }]
  return [{ code: 'truncated', detail: `${what}: the bound is reached` }]
}
