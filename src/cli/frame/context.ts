import type { LoadedConfig } from '#/config/load.ts'
import type { CommandPath } from './command.ts'
import type { FlagSet, FlagValues } from './flag.ts'
import type { Terminal } from '#/cli/output/terminal.ts'
import type { Clock } from '#/ports/clock.ts'

/** Everything that a command may use. */
export type CommandContext<F extends FlagSet = FlagSet> = {
  /** The command's own flags. */
  readonly flags: FlagValues<F>
  readonly args: readonly string[]
  readonly path: CommandPath
  readonly terminal: Terminal
  /** Aborts on Ctrl-C, on SIGTERM, and when stdout is closed. */
  readonly signal: AbortSignal
  readonly clock: Clock
  /** Loaded on first use. Throws a `CommandFailure` that lists every mistake in it. */
  readonly config: () => Promise<LoadedConfig>
}
