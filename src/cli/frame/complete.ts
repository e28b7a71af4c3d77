import type { Command, CommandPath, Group, Leaf } from './command.ts'
import { visible } from './command.ts'
import type { Flag } from './flag.ts'
import { positionalAt, resolve } from './parse.ts'
import type { Scanned, Word } from './scan.ts'
import { scan } from './scan.ts'
import { spelling, commandVocabulary, wholeVocabulary } from './vocabulary.ts'

export type Completion = {
  readonly candidates: readonly Candidate[]
  /** What the shell itself completes. */
  readonly also: 'file' | 'folder' | 'none'
}
export type Candidate = { readonly value: string; readonly summary: string }

const NOTHING: Completion = { candidates: [], also: 'none' }
/** Put at the cursor to find out which flag or argument would take it. */
const PROBE = 'probe'

/** `words` follow the program's name; the last is under the cursor and may be empty. */
export function complete(words: readonly string[], root: Group): Completion {
  const current = words.at(-1) ?? ''
  const whole = wholeVocabulary(root)
  const probed = scan([...words.slice(0, -1), PROBE], whole)
  const taker = probed.words.at(-1)
  const isWord = taker?.text === PROBE
  const { path, rest } = resolve(root, isWord ? probed.words.slice(0, -1) : probed.words)
  if (!isWord) {
    // Another command's flag of the same name may have other choices.
    const flag = commandVocabulary(path).long.get(probed.flags.at(-1)?.name ?? '')
    return flag === undefined ? NOTHING : matching(current, completeValues(flag))
  }
  if (!taker.literal && current.startsWith('-')) return completeFlags(path, probed, current)
  return matching(current, wordsAfter(path, rest, root))
}

function wordsAfter(path: CommandPath, rest: readonly Word[], root: Group): Completion {
  const command: Command = path.at(-1) ?? root
  if (command.kind === 'leaf') return completeArguments(command, rest, root)
  return rest.length > 0 ? NOTHING : completeCommands(command)
}

function completeFlags(path: CommandPath, { flags }: Scanned, current: string): Completion {
  const { long } = commandVocabulary(path)
  const equals = current.indexOf('=')
  if (equals > 0) {
    const flag = long.get(current.slice(2, equals))
    const { candidates, also } = flag === undefined ? NOTHING : completeValues(flag)
    const prefixed = candidates.map(({ value, summary }) => ({
      value: `${current.slice(0, equals)}=${value}`,
      summary,
    }))
    return matching(current, { candidates: prefixed, also })
  }
  const given = new Set(flags.map(({ name }) => name))
  const candidates = [...long]
    .filter(([name, flag]) => !given.has(name) || (flag.kind === 'option' && flag.repeatable === true))
    .flatMap(([name, flag]) => spellings(name, flag))
  return matching(current, { candidates, also: 'none' })
}

function spellings(name: string, flag: Flag): readonly Candidate[] {
  const { summary, short } = flag
  const long = { value: spelling(name, flag), summary }
  return short === undefined ? [long] : [long, { value: `-${short}`, summary }]
}

function completeValues(flag: Flag): Completion {
  if (flag.kind === 'switch')
    return { candidates: ['true', 'false'].map((value) => ({ value, summary: flag.summary })), also: 'none' }
  return { candidates: choices(flag.choices, flag.summary), also: flag.completes ?? 'none' }
}

function completeArguments(leaf: Leaf, args: readonly Word[], root: Group): Completion {
  const positional = positionalAt(leaf, args.length)
  if (positional === undefined) return NOTHING
  if (positional.completes !== 'command')
    return { candidates: choices(positional.choices, positional.summary), also: 'none' }
  const { path, rest } = resolve(root, args)
  const named = path.at(-1) ?? root
  return named.kind === 'group' && rest.length === 0 ? completeCommands(named) : NOTHING
}

function completeCommands(group: Group): Completion {
  return { candidates: visible(group.commands).map(({ name, summary }) => ({ value: name, summary })), also: 'none' }
}

function choices(values: readonly string[] | undefined, summary: string): readonly Candidate[] {
  return (values ?? []).map((value) => ({ value, summary }))
}

function matching(current: string, { candidates, also }: Completion): Completion {
  return { candidates: candidates.filter(({ value }) => value.startsWith(current)), also }
}
