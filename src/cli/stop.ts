import { EXIT, type ExitCode } from '#/cli/exit-code.ts'

/** Why a command is asked to stop, told by the exit code that it will end with. */
export type Stop = {
  readonly signal: AbortSignal
  readonly exitCode: () => ExitCode | null
}

const SIGNALS = { SIGINT: EXIT.interrupted, SIGTERM: EXIT.terminated, SIGHUP: EXIT.hungUp } as const

/**
 * The first signal, and a reader of stdout that went away, abort the command and let it clean up. A second signal ends
 * the process where it stands.
 */
export function watchForStop(program: NodeJS.Process): Stop {
  const controller = new AbortController()
  let exitCode: ExitCode | null = null
  const stop = (code: ExitCode): void => {
    exitCode ??= code
    controller.abort()
  }
  for (const [name, code] of Object.entries(SIGNALS)) {
    program.on(name, () => {
      if (exitCode !== null && exitCode !== EXIT.pipeClosed) program.exit(exitCode)
      stop(code)
    })
  }
  program.stdout.on('error', () => stop(EXIT.pipeClosed))
  // Nobody is left to be told.
  program.stderr.on('error', () => {})
  return { signal: controller.signal, exitCode: () => exitCode }
}
