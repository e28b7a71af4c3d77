import type { CommandContext } from './context.ts'
import type { ExitCode } from './exit-code.ts'
import type { FlagSet } from './flag.ts'

/**
 * The command line as data. Parsing, help, completion and docs/cli.md are all read from these values, so they cannot
 * disagree. The files that hold them stay light; what a command does is loaded when it runs.
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
  /** When the command gives each code. The wrong command line, Ctrl-C and a closed pipe are common to all. */
  readonly exitCodes: Readonly<Partial<Record<ExitCode, string>>>
  /** Not shown to people: for the shells. */
  readonly hidden?: true
  /** Runs until it is stopped: Ctrl-C and SIGTERM are its ordinary end, and its own exit code counts. */
  readonly untilStopped?: true
  readonly load: () => Promise<Handler<F>>
}

export type Handler<F extends FlagSet> = {
  // A method, not a property: a list of commands with different flags needs the looser check of parameters.
  run(context: CommandContext<F>): Promise<ExitCode>
}

export type Example = { readonly line: string; readonly what: string }

export type Positional = {
  /** As help shows it: upper case. */
  readonly name: string
  readonly summary: string
  readonly required: boolean
  /** Takes all that follow; only the last one may. */
  readonly repeatable?: true
  readonly choices?: readonly string[]
  /** Names of commands are offered by the shell. */
  readonly completes?: 'command'
}

/** The commands from the root to the one that was named, the root first. */
export type CommandPath = readonly [Group, ...Command[]]

export function pathName(path: CommandPath): string {
  return path.map((command) => command.name).join(' ')
}

export function visible(commands: readonly Command[]): readonly Command[] {
  return commands.filter((command) => command.kind === 'group' || command.hidden !== true)
}
