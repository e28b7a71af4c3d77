import type { LoadedConfig } from '#/config/load.ts'
import type { CommandPath } from './command.ts'
import type { FlagSet, FlagValues } from './flag.ts'
import type { Terminal } from '#/cli/output/terminal.ts'
import type { Clock } from '#/ports/clock.ts'

/** All that a command is given; it reaches for nothing else. */
export type CommandContext<F extends FlagSet = FlagSet> = {
  /** The command's own flags. */
  readonly flags: FlagValues<F>
  readonly args: readonly string[]
  readonly path: CommandPath
  readonly terminal: Terminal
  /** Aborts on Ctrl-C, on SIGTERM, and when the reader of the output goes away. */
  readonly signal: AbortSignal
  readonly clock: Clock
  /** Read when it is first asked for. Throws a `CommandFailure` that names every mistake in it. */
  readonly config: () => Promise<LoadedConfig>
}
