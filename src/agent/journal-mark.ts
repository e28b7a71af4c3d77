import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { journalctlArgs } from '#/adapters/journal/journalctl-args.ts'
import { runJournalctl } from '#/adapters/journal/run-journalctl.ts'
import { blind, seen } from '#/core/basics/observed.ts'
import type { Blind, Seen } from '#/core/basics/observed.ts'
import type { Clock } from '#/ports/clock.ts'

export type MarkOptions = {
  /** journald's socket for streams; usually `/run/systemd/journal/stdout`. */
  readonly socket: string
  /** The path of journalctl. */
  readonly program: string
  readonly directory: string | null
  readonly clock: Clock
}

export const IDENTIFIER = 'signalbox-agent'

const READ_BACK_MS = 3000
const AGAIN_MS = 100
const WRITE_MS = 2000
const DEBUG = 7

/** Writes a line and reads it back: up to that time both journald and the agent were observing. */
export async function markJournal(options: MarkOptions, signal: AbortSignal): Promise<Seen<number> | Blind> {
  const { clock, socket } = options
  const mark = randomUUID()
  const since = clock.now() - 1000
  const written = await writeLine(socket, `looking ${mark}`)
  if (written !== null) return blind('unreachable', `cannot write to the journal: ${written}`)
  const end = clock.now() + READ_BACK_MS
  while (!signal.aborted) {
    const at = await findMark(options, { mark, since }, signal)
    if (at !== null) return seen(at)
    if (clock.now() >= end) break
    await clock.sleep(AGAIN_MS, signal)
  }
  return blind('timeout', `the agent's own line did not appear in the journal within ${READ_BACK_MS} ms`)
}

async function findMark(
  { program, directory }: MarkOptions,
  { mark, since }: { readonly mark: string; readonly since: number },
  signal: AbortSignal,
): Promise<number | null> {
  const args = [...journalctlArgs({ directory }, { since }), `SYSLOG_IDENTIFIER=${IDENTIFIER}`]
  const limits = { program, maxBytes: 1024 * 1024, maxLines: 10_000 }
  const answer = await runJournalctl(limits, { args, window: {} }, signal)
  if (answer.kind === 'blind') return null
  return answer.lines.find(({ message }) => message?.includes(mark) === true)?.readAt ?? null
}

/** Uses the stream protocol of systemd-cat, because Node has no datagram Unix sockets. Null if it was sent. */
function writeLine(path: string, text: string): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = connect(path)
    const fail = (error: NodeJS.ErrnoException): void => resolve(`${path}: ${error.code ?? error.message}`)
    socket.once('error', fail)
    socket.setTimeout(WRITE_MS, () => socket.destroy(Object.assign(new Error('slow'), { code: 'ETIMEDOUT' })))
    // Name, unit, priority, and four flags off: level prefix, and copies to syslog, kernel and console.
    socket.end(`${IDENTIFIER}\n\n${DEBUG}\n0\n0\n0\n0\n${text}\n`, () => {
      socket.destroy()
      resolve(null)
    })
  })
}
