import type { ExitCode } from './exit-code.ts'

/** Ends a command with its exit code, one line that says what is wrong, and lines that say what to do next. */
export class CommandFailure extends Error {
  readonly code = 'COMMAND_FAILURE'
  readonly exitCode: ExitCode
  readonly next: readonly string[]

  constructor(exitCode: ExitCode, message: string, next: readonly string[] = []) {
    super(message)
    this.name = 'CommandFailure'
    this.exitCode = exitCode
    this.next = next
  }
}
