import type { CommandContext } from './context.ts'
import type { ExitCode } from './exit-code.ts'
import type { FlagSet } from './flag.ts'

/**
 * The command line as data. Parsing, help, completion and docs/cli.md are all read from these values, so they cannot
 * disagree. These files import little; the code of a command is loaded when it runs.
 */
export type Command = Group | Leaf

export type Group = {
  readonly kind: 'group'
  readonly name: string
  readonly summary: string
  readonly description: string
  readonly commands: readonly Command[]
}

export type Leaf<F extends FlagSet = FlagSet> = {
  readonly kind: 'leaf'
  readonly name: string
  readonly summary: string
  readonly description: string
  readonly examples: readonly Example[]
  readonly flags: F
  readonly positionals: readonly Positional[]
  /** When the command exits with each code. A wrong command line, Ctrl-C and a closed pipe are the same for all. */
  readonly exitCodes: Readonly<Partial<Record<ExitCode, string>>>
  /** Hidden from help: for completion scripts. */
  readonly hidden?: true
  /** Runs until stopped: Ctrl-C and SIGTERM are its normal end, and its own exit code is used. */
  readonly untilStopped?: true
  readonly load: () => Promise<Handler<F>>
}

export type Handler<F extends FlagSet> = {
  // A method, not a property: its parameter check is looser, which a list of commands with different flags needs.
  run(context: CommandContext<F>): Promise<ExitCode>
}

export type Example = { readonly line: string; readonly what: string }

export type Positional = {
  /** As help shows it: upper case. */
  readonly name: string
  readonly summary: string
  readonly required: boolean
  /** Takes all remaining arguments; only for the last one. */
  readonly repeatable?: true
  readonly choices?: readonly string[]
  /** The shell offers command names. */
  readonly completes?: 'command'
}

/** From the root to the given command. */
export type CommandPath = readonly [Group, ...Command[]]

export function pathName(path: CommandPath): string {
  return path.map((command) => command.name).join(' ')
}

export function visible(commands: readonly Command[]): readonly Command[] {
  return commands.filter((command) => command.kind === 'group' || command.hidden !== true)
}
