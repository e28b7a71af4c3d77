import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { blind, seen } from '#/core/basics/observed.ts'
import type { Blind, BlindReason, Seen } from '#/core/basics/observed.ts'
import type { JournalWindow } from '#/ports/journal.ts'
import type { JournalCopy } from '#/ports/this-host.ts'
import { isPermissionHint } from './gather-journal.ts'
import { journalctlArgs, oldestLineArgs } from './journalctl-args.ts'
import { endingGaps, ENVIRONMENT, readRemarks } from './journalctl-process.ts'
import { parseJsonLine } from './parse-json-line.ts'
import { runJournalctl } from './run-journalctl.ts'

export type JournalCopyOptions = {
  /** The path of journalctl. */
  readonly program: string
  /** A folder with journal files in place of the machine's own. */
  readonly directory: string | null
  /** As `journalctl --namespace` takes it. */
  readonly namespace: string | null
  /** The copy ends with the last whole line before this many bytes. */
  readonly maxBytes: number
}

const LINE_FEED = 0x0a

/** What journalctl prints of the window. Nothing is parsed on its way but the first line and the last. */
export async function copyJournal(
  options: JournalCopyOptions,
  window: JournalWindow,
  signal: AbortSignal,
): Promise<Seen<JournalCopy> | Blind> {
  const { program, maxBytes } = options
  const oldest = await readOldest(options, signal)
  if (oldest.kind === 'blind') return oldest
  const args = [...journalctlArgs(options, window), ...namespaceArgs(options)]
  const copy = createCopy(maxBytes, signal)
  return seen({
    chunks: copy.read(() => spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env: ENVIRONMENT })),
    from: Math.max(oldest.value, window.since ?? oldest.value),
    ending: copy.ending,
  })
}

/** When the journal begins. */
export async function readOldest(options: JournalCopyOptions, signal: AbortSignal): Promise<Seen<number> | Blind> {
  const { program, maxBytes } = options
  const probe = { args: [...oldestLineArgs(options), ...namespaceArgs(options)], window: {} }
  const oldest = await runJournalctl({ program, maxBytes, maxLines: 1 }, probe, signal)
  if (oldest.kind === 'blind') return oldest
  const [first] = oldest.lines
  if (first !== undefined) return seen(first.readAt)
  return oldest.gaps[0] === undefined
    ? blind('unsupported', 'the journal has no line at all')
    : { kind: 'blind', reason: oldest.gaps[0] }
}

export function namespaceArgs({ namespace }: JournalCopyOptions): readonly string[] {
  return namespace === null ? [] : [`--namespace=${namespace}`]
}

function createCopy(maxBytes: number, signal: AbortSignal) {
  const gaps: BlindReason[] = []
  let cutAt: number | null = null

  async function* read(start: () => ChildProcess): AsyncGenerator<Uint8Array> {
    const child = start()
    const kill = (): void => void child.kill('SIGKILL')
    signal.addEventListener('abort', kill, { once: true })
    const closed = once(child, 'close').catch(() => null)
    const remarking = readRemarks(child.stderr)
    try {
      const last = yield* wholeLines(child.stdout, maxBytes)
      if (last === null) {
        await closed
        signal.throwIfAborted()
        const remarks = await remarking
        yield* hintLine(remarks)
        gaps.push(...endingGaps(child, remarks))
      } else {
        cutAt = readTime(last)
        gaps.push({ code: 'truncated', detail: `the journal of the window has more than ${maxBytes} bytes` })
      }
    } finally {
      kill()
      signal.removeEventListener('abort', kill)
      await closed
    }
  }

  return { read, ending: () => ({ to: cutAt, gaps }) }
}

/** Gives the last line where the limit cut the rest off, and null where all was read. */
async function* wholeLines(stream: Readable | null, maxBytes: number): AsyncGenerator<Uint8Array, string | null> {
  let bytes = 0
  let begun: Uint8Array[] = []
  let last = ''
  for await (const chunk of (stream ?? []) as AsyncIterable<Uint8Array>) {
    const end = chunk.lastIndexOf(LINE_FEED) + 1
    const ready = end === 0 ? [] : [...begun, chunk.subarray(0, end)]
    const size = ready.reduce((sum, piece) => sum + piece.length, 0)
    if (bytes + size > maxBytes) return last
    if (end > 0) {
      const lines = Buffer.concat(ready)
      bytes += size
      last = lines.toString('utf8', lines.lastIndexOf(LINE_FEED, -2) + 1).trimEnd()
      yield lines
      begun = []
    }
    begun.push(chunk.subarray(end))
    if (bytes + begun.reduce((sum, piece) => sum + piece.length, 0) > maxBytes) return last
  }
  yield Buffer.concat(begun)
  return null
}

function readTime(line: string): number | null {
  const parsed = parseJsonLine(line)
  return parsed.kind === 'line' ? parsed.line.readAt : null
}

/** Kept with the lines, as a shell's `2>&1` would: whoever reads the file must know that it shows a part only. */
export function* hintLine(remarks: string): Generator<Uint8Array> {
  const hint = remarks.split('\n').find(isPermissionHint)
  if (hint !== undefined) yield Buffer.from(`${hint}\n`)
}
