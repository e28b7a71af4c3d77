import type { Command, CommandPath, Group } from './command.ts'
import type { Flag, FlagSet } from './flag.ts'
import { globalFlags, rootFlags } from './global-flags.ts'

/** Flags by long name, and the long name of each letter. */
export type Vocabulary = {
  readonly long: ReadonlyMap<string, Flag>
  readonly short: ReadonlyMap<string, string>
}

/**
 * Every flag of every command, so that a flag is understood before the command that it belongs to
 * (`signalbox -o json doctor`). A test holds that one name means one thing throughout the tree.
 */
export function wholeVocabulary(root: Group): Vocabulary {
  return vocabulary([globalFlags, rootFlags, ...flagSets(root)])
}

/** The flags that the named command takes. */
export function vocabularyOf(path: CommandPath): Vocabulary {
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

/** As it is written on the command line: a switch that is on by default is only ever switched off. */
export function spelling(name: string, flag: Flag): string {
  return flag.kind === 'switch' && flag.default === true ? `--no-${name}` : `--${name}`
}
