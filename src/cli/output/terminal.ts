import type { Ask } from '#/cli/output/ask.ts'
import { CLEAR_LINE, silentProgress, startProgress } from '#/cli/output/progress.ts'
import type { Progress } from '#/cli/output/progress.ts'
import type { Sink } from '#/cli/output/sink.ts'
import type { Style } from '#/cli/output/style.ts'
import { coloured, plain } from '#/cli/output/style.ts'

/** Where a command writes. Data goes to stdout, everything else to stderr. */
export type Terminal = {
  readonly data: (text: string) => void
  /** The same for binary data; null when stdout is a terminal. */
  readonly bytes: ((content: Uint8Array) => void) | null
  /** For the user; not with `--quiet`. */
  readonly notice: (text: string) => void
  /** Only with `--verbose`. */
  readonly detail: (text: string) => void
  /** A server log line on stderr; only the log level filters it. */
  readonly log: (line: string) => void
  /** `--verbose` was given. */
  readonly isVerbose: boolean
  /** Always shown. */
  readonly error: (text: string) => void
  /** What to do about the error above it. */
  readonly hint: (text: string) => void
  /** Shown on a terminal only, and removed when done. */
  readonly progress: (label: string) => Progress
  /** For stdout. */
  readonly style: Style
  /** Of the terminal; null when stdout is not one. */
  readonly columns: number | null
  /** Null if nobody can answer. */
  readonly ask: Ask | null
}

export type TerminalOptions = {
  readonly stdout: Sink
  readonly stderr: Sink
  readonly colour: boolean
  /** The terminal cannot move its cursor. */
  readonly dumb: boolean
  readonly quiet: boolean
  readonly verbose: boolean
}

export function openTerminal({ stdout, stderr, colour, dumb, quiet, verbose }: TerminalOptions): Terminal {
  const errorStyle = colour && stderr.isTTY === true ? coloured : plain
  let turning = false
  const line = (text: string): void => {
    stderr.write(`${turning ? CLEAR_LINE : ''}${text}\n`)
  }
  const progress = (label: string): Progress => {
    const started = startProgress(stderr, label)
    turning = true
    const done = (): void => {
      turning = false
      started.done()
    }
    return { say: started.say, done }
  }
  const silent = (): void => {}
  return {
    data: (text) => {
      stdout.write(text)
    },
    bytes: bytesTo(stdout),
    notice: quiet ? silent : line,
    detail: verbose ? line : silent,
    isVerbose: verbose,
    log: line,
    error: (text) => line(`${errorStyle('red', 'signalbox:')} ${text}`),
    hint: (text) => line(`  ${text}`),
    progress: stderr.isTTY === true && !dumb && !quiet ? progress : () => silentProgress,
    style: colour && stdout.isTTY === true ? coloured : plain,
    columns: stdout.isTTY === true ? (stdout.columns ?? null) : null,
    ask: null,
  }
}

/** Written in pieces, because a file can exceed the maximum string length. */
const PIECE_BYTES = 1024 * 1024

function bytesTo(stdout: Sink): Terminal['bytes'] {
  if (stdout.isTTY === true) return null
  return (content) => {
    for (let start = 0; start < content.length; start += PIECE_BYTES) {
      stdout.write(Buffer.from(content.subarray(start, start + PIECE_BYTES)).toString('latin1'), 'latin1')
    }
  }
}
