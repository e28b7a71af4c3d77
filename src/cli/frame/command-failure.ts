import { AppFailure } from '#/app/part/failure.ts'
import { EXIT } from './exit-code.ts'
import type { ExitCode } from './exit-code.ts'

/** Ends a command with its exit code, one line that says what is wrong, and lines that say what to do next. */
export class CommandFailure extends AppFailure {
  readonly code = 'COMMAND_FAILURE'
  readonly exitCode: ExitCode

  constructor(exitCode: ExitCode, message: string, next: readonly string[] = []) {
    super(exitCode === EXIT.usage ? 'configuration' : 'failed', message, next)
    this.name = 'CommandFailure'
    this.exitCode = exitCode
  }
}

export function toExitCode(failure: AppFailure): ExitCode {
  if (failure instanceof CommandFailure) return failure.exitCode
  return failure.kind === 'configuration' ? EXIT.usage : EXIT.failed
}
