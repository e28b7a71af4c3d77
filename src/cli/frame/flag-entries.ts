import type { Leaf } from './command.ts'
import type { FlagSet } from './flag.ts'
import { globalFlags } from './global-flags.ts'
import type { Values } from './parse.ts'
import type { FlagEntry } from '#/config/load.ts'

/** The settings that the given flags set. */
export function flagEntries(leaf: Leaf, values: Values): readonly FlagEntry[] {
  const flags: FlagSet = { ...globalFlags, ...leaf.flags }
  return Object.entries(flags).flatMap(([name, flag]): readonly FlagEntry[] => {
    const given = values[name]
    if (flag.sets === undefined || given === undefined || given === false) return []
    const text = 'value' in flag.sets ? flag.sets.value : [given].flat().join(',')
    return text === '' ? [] : [{ path: flag.sets.path, text, flag: `--${name}` }]
  })
}
