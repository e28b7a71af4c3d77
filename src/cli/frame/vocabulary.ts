import type { Command, CommandPath, Group } from './command.ts'
import type { Flag, FlagSet } from './flag.ts'
import { globalFlags, rootFlags } from './global-flags.ts'

/** Flags by long name, and the long name of each short one. */
export type Vocabulary = {
  readonly long: ReadonlyMap<string, Flag>
  readonly short: ReadonlyMap<string, string>
}

/**
 * Every flag of every command, so that a flag is accepted before the name of its command
 * (`signalbox -o json doctor`). A test checks that one name means the same in all commands.
 */
export function wholeVocabulary(root: Group): Vocabulary {
  return vocabulary([globalFlags, rootFlags, ...flagSets(root)])
}

/** The flags of the given command. */
export function commandVocabulary(path: CommandPath): Vocabulary {
  const last = path.at(-1)
  return vocabulary([globalFlags, last?.kind === 'leaf' ? last.flags : path.length === 1 ? rootFlags : {}])
}

function vocabulary(sets: readonly FlagSet[]): Vocabulary {
  const long = new Map(sets.flatMap((set) => Object.entries(set)))
  const short = new Map([...long].flatMap(([name, flag]) => (flag.short === undefined ? [] : [[flag.short, name]])))
  return { long, short }
}

function flagSets(command: Command): readonly FlagSet[] {
  return command.kind === 'leaf' ? [command.flags] : command.commands.flatMap(flagSets)
}

/** As written on the command line: a switch that is on by default can only be switched off. */
export function spelling(name: string, flag: Flag): string {
  return flag.kind === 'switch' && flag.default === true ? `--no-${name}` : `--${name}`
}
