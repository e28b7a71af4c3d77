import { EXIT } from './exit-code.ts'
import type { ExitCode } from './exit-code.ts'

/** Why a command is asked to stop, told by the exit code that it will end with. */
export type Stop = {
  readonly signal: AbortSignal
  readonly exitCode: () => ExitCode | null
}

/** What a write gives when its reader is gone: a closed pipe, a closed terminal. */
const READER_GONE: ReadonlySet<string | undefined> = new Set(['EPIPE', 'EIO'])

const SIGNALS = { SIGINT: EXIT.interrupted, SIGTERM: EXIT.terminated, SIGHUP: EXIT.hungUp } as const

/**
 * The first signal, and a stdout that takes no more, abort the command and let it clean up. A second signal ends the
 * process where it stands.
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
    program.stderr.write(`signalbox: the output could not be written: ${error.message}\n`)
    return stop(EXIT.failed)
  })
  // Nobody is left to be told.
  program.stderr.on('error', () => {})
  return { signal: controller.signal, exitCode: () => exitCode }
}
