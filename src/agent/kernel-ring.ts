import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { blind } from '#/core/basics/observed.ts'
import type { Blind } from '#/core/basics/observed.ts'
import type { Clock } from '#/ports/clock.ts'
import type { Answer, JournalAsked } from './journal-window.ts'
import { asJournalLine, readKernelRecord } from './kernel-line.ts'
import type { KernelLine } from './kernel-line.ts'

/** Kernel log lines, kept in memory where there is no journal. */
export type KernelRing = {
  readonly run: (signal: AbortSignal) => Promise<void>
  readonly read: (asked: JournalAsked, signal: AbortSignal) => Promise<Answer>
}

const MOST_BYTES = 4 * 1024 * 1024
const EVERY_MS = 500
const READ_BACK_MS = 3000
/** The largest record that the kernel returns. */
const RECORD_BYTES = 8192
/** Overhead of one line besides its message. */
const OVERHEAD_BYTES = 64

type Held = { readonly lines: KernelLine[]; bytes: number; lost: boolean; fault: Blind | null }

export function createKernelRing(path: string, clock: Clock): KernelRing {
  const held: Held = { lines: [], bytes: 0, lost: false, fault: blind('not-asked', `${path} has not been read yet`) }
  return {
    run: async (signal) => {
      const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: unknown) => {
        held.fault = blind('forbidden', `cannot read ${path}: ${errorCode(error)}`)
        return null
      })
      if (file === null) return
      while (!signal.aborted) {
        await readAll(file, held)
        held.fault = null
        await clock.sleep(EVERY_MS, signal)
      }
      await file.close()
    },
    read: async (asked, signal) => {
      if (held.fault !== null) return { head: held.fault }
      const mark = await isReadBack(path, held, { clock, signal })
      return readWindow(held, { asked, mark, path, run: await kernelRun(clock) })
    },
  }
}

async function readAll(file: FileHandle, held: Held): Promise<void> {
  const buffer = Buffer.alloc(RECORD_BYTES)
  for (;;) {
    try {
      const { bytesRead } = await file.read(buffer, 0, buffer.length, null)
      if (bytesRead === 0) return
      for (const record of buffer.toString('utf8', 0, bytesRead).split('\n')) hold(held, record)
    } catch (error) {
      // The kernel overwrote the next record: continue after it.
      if (errorCode(error) !== 'EPIPE') return
      held.lost = true
    }
  }
}

function hold(held: Held, record: string): void {
  const line = readKernelRecord(record)
  if (line === null) return
  held.lines.push(line)
  held.bytes += line.message.length + OVERHEAD_BYTES
  while (held.bytes > MOST_BYTES) {
    const oldest = held.lines.shift()
    if (oldest === undefined) return
    held.bytes -= oldest.message.length + OVERHEAD_BYTES
    held.lost = true
  }
}

/** Whether a line that we write can be read back. */
async function isReadBack(
  path: string,
  held: Held,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<boolean> {
  const mark = randomUUID()
  try {
    await using file = await open(path, constants.O_WRONLY)
    await file.write(`<7>signalbox-agent: looking ${mark}\n`)
  } catch {
    return false
  }
  const end = clock.now() + READ_BACK_MS
  while (!signal.aborted && clock.now() < end) {
    if (held.lines.some(({ message }) => message.includes(mark))) return true
    await clock.sleep(100, signal)
  }
  return false
}

type Reading = {
  readonly asked: JournalAsked
  readonly mark: boolean
  readonly path: string
  readonly run: { readonly startedUs: number; readonly bootId: string }
}

/** Claims no coverage: the kernel log alone says nothing about other programs. */
function readWindow({ lines, lost }: Held, { asked, mark, path, run }: Reading): Answer {
  const { since, until, maxBytes } = asked
  const atMs = ({ monotonicUs }: KernelLine): number => Math.floor((run.startedUs + monotonicUs) / 1000)
  const within = lines.filter((line) => atMs(line) >= since && atMs(line) <= (until ?? Infinity))
  const text = within.map((line) => asJournalLine(line, run))
  let bytes = 0
  // The end of the window matters most.
  const kept = text.toReversed().filter((line) => (bytes += Buffer.byteLength(line)) <= maxBytes)
  const last = within.at(-1)
  if (last === undefined && !mark) {
    return { head: blind('unreachable', `the agent's own line did not appear in ${path}`) }
  }
  const to = last === undefined ? (until ?? since) : atMs(last)
  const gaps = [
    { code: 'unsupported' as const, detail: `there is no journal: these are the kernel's own lines from ${path}` },
    ...(mark ? [] : [{ code: 'timeout' as const, detail: `the agent's own line did not appear in ${path}` }]),
    ...(lost || kept.length < text.length ? [{ code: 'truncated' as const, detail: 'older lines are lost' }] : []),
  ]
  return { head: { kind: 'journal', from: to, to, around: null, gaps }, rest: Buffer.from(kept.toReversed().join('')) }
}

/** Reads both clocks now: the wall clock may have been set since boot. */
async function kernelRun(clock: Clock): Promise<Reading['run']> {
  const startedUs = clock.now() * 1000 - Math.floor(Number(process.hrtime.bigint() / 1000n))
  const bootId = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '')
  return { startedUs, bootId: bootId.trim().replaceAll('-', '') }
}

function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
}
