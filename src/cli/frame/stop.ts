import { EXIT } from './exit-code.ts'
import type { ExitCode } from './exit-code.ts'

/** Why a command was asked to stop, as its exit code. */
export type Stop = {
  readonly signal: AbortSignal
  readonly exitCode: () => ExitCode | null
}

/** Write errors after the pipe or terminal was closed. */
const READER_GONE: ReadonlySet<string | undefined> = new Set(['EPIPE', 'EIO'])

const SIGNALS = { SIGINT: EXIT.interrupted, SIGTERM: EXIT.terminated, SIGHUP: EXIT.hungUp } as const

/**
 * The first signal, or a closed stdout, aborts the command and lets it clean up. A second signal ends the process at
 * once.
 */
export function watchForStop(program: NodeJS.Process): Stop {
  const controller = new AbortController()
  let exitCode: ExitCode | null = null
  let signalled = false
  const stop = (code: ExitCode): void => {
    exitCode ??= code
    controller.abort()
  }
  for (const [name, code] of Object.entries(SIGNALS)) {
    program.on(name, () => {
      if (signalled) program.exit(exitCode ?? code)
      signalled = true
      stop(code)
    })
  }
  program.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (READER_GONE.has(error.code)) return stop(EXIT.pipeClosed)
    program.stderr.write(`signalbox: cannot write the output: ${error.message}\n`)
    return stop(EXIT.failed)
  })
  // stderr is closed too.
  program.stderr.on('error', () => {})
  return { signal: controller.signal, exitCode: () => exitCode }
}
