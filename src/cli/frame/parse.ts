import type { Command, CommandPath, Group, Leaf, Positional } from './command.ts'
import type { Flag } from './flag.ts'
import type { GivenFlag, Problem, Word } from './scan.ts'
import { scan } from './scan.ts'
import { visible, pathName } from './command.ts'
import { commandVocabulary, wholeVocabulary } from './vocabulary.ts'
import { didYouMean } from '#/core/basics/did-you-mean.ts'

export type Parsed =
  | {
      readonly kind: 'run'
      readonly path: CommandPath
      readonly leaf: Leaf
      readonly flags: Values
      readonly args: readonly string[]
    }
  | { readonly kind: 'help'; readonly path: CommandPath }
  | { readonly kind: 'version' }
  | ({ readonly kind: 'usage'; readonly path: CommandPath } & Problem)

/** Global flags and the command's own, with defaults. */
export type Values = Readonly<Record<string, string | boolean | readonly string[] | undefined>>

/** Never throws: a wrong command line is a result too. */
export function parse(argv: readonly string[], root: Group): Parsed {
  const { flags, words, problem } = scan(argv, wholeVocabulary(root))
  const { path, rest } = resolve(root, words)
  if (flags.some((flag) => flag.name === 'help' && flag.value === true)) return { kind: 'help', path }
  if (problem !== null) return { kind: 'usage', path, ...meantHere(problem, argv, path) }

  const last = path.at(-1) ?? root
  if (last.kind === 'group') {
    if (rest.length > 0) return { kind: 'usage', path, ...unknownCommand(last, rest[0]?.text ?? '') }
    if (path.length > 1) return { kind: 'usage', path, ...commandMissing(path, last) }
    const version = flags.some((flag) => flag.name === 'version' && flag.value === true)
    return version ? { kind: 'version' } : { kind: 'help', path }
  }

  const args = rest.map((word) => word.text)
  const wrong = wrongFlag(flags, path) ?? wrongArgument(args, last)
  return wrong === null
    ? { kind: 'run', path, leaf: last, flags: values(flags, path), args }
    : { kind: 'usage', path, ...wrong }
}

/** A misspelled flag is more likely one of this command than of another. */
function meantHere(problem: Problem, argv: readonly string[], path: CommandPath): Problem {
  const own = scan(argv, commandVocabulary(path)).problem
  return own !== null && own.message === problem.message && own.meant.length > 0 ? own : problem
}

/** Follows the words down the command tree. */
export function resolve(
  root: Group,
  words: readonly Word[],
): { readonly path: CommandPath; readonly rest: readonly Word[] } {
  const path: [Group, ...Command[]] = [root]
  for (const [index, word] of words.entries()) {
    const parent: Command = path.at(-1) ?? root
    const next =
      parent.kind === 'group' && !word.literal
        ? parent.commands.find((command) => command.name === word.text)
        : undefined
    if (next === undefined) return { path, rest: words.slice(index) }
    path.push(next)
  }
  return { path, rest: [] }
}

export function unknownCommand(parent: Command, text: string): Problem {
  const names = parent.kind === 'group' ? visible(parent.commands).map((command) => command.name) : []
  return { message: `unknown command: ${text}`, meant: didYouMean(text, names) }
}

function commandMissing(path: CommandPath, group: Group): Problem {
  const names = visible(group.commands).map((command) => command.name)
  return { message: `${pathName(path)} needs a command: ${names.join(', ')}`, meant: [] }
}

function wrongFlag(given: readonly GivenFlag[], path: CommandPath): Problem | null {
  const { long } = commandVocabulary(path)
  for (const { name, value, spelled } of given) {
    const flag = long.get(name)
    if (flag === undefined) {
      return { message: `${spelled} is not a flag of ${pathName(path)}`, meant: [] }
    }
    const choices = flag.kind === 'option' ? flag.choices : undefined
    if (choices !== undefined && typeof value === 'string' && !choices.includes(value)) {
      return wrongChoice(spelled, value, choices)
    }
    const excluded = flag.kind === 'switch' && value === true ? (flag.excludes ?? []) : []
    const other = given.find((candidate) => excluded.includes(candidate.name) && candidate.value !== false)
    if (other !== undefined) return { message: `${spelled} cannot be combined with ${other.spelled}`, meant: [] }
  }
  return null
}

function wrongArgument(args: readonly string[], leaf: Leaf): Problem | null {
  const missing = leaf.positionals.find((positional, index) => positional.required && args[index] === undefined)
  if (missing !== undefined) {
    const choices = missing.choices === undefined ? '' : ` (${missing.choices.join(', ')})`
    return { message: `${missing.name} is required: ${missing.summary}${choices}`, meant: [] }
  }
  for (const [index, arg] of args.entries()) {
    const positional = positionalAt(leaf, index)
    if (positional === undefined) return { message: `unexpected argument: ${arg}`, meant: [] }
    if (positional.choices !== undefined && !positional.choices.includes(arg)) {
      return wrongChoice(positional.name, arg, positional.choices)
    }
  }
  return null
}

/** The positional for the argument at this index. */
export function positionalAt(leaf: Leaf, index: number): Positional | undefined {
  const last = leaf.positionals.at(-1)
  return leaf.positionals[index] ?? (last?.repeatable === true ? last : undefined)
}

function wrongChoice(what: string, value: string, choices: readonly string[]): Problem {
  return { message: `${what} must be one of ${choices.join(', ')}, not ${value}`, meant: didYouMean(value, choices) }
}

function values(given: readonly GivenFlag[], path: CommandPath): Values {
  const { long } = commandVocabulary(path)
  return Object.fromEntries([...long].map(([name, flag]) => [name, readValue(name, flag, given)]))
}

function readValue(name: string, flag: Flag, given: readonly GivenFlag[]): Values[string] {
  const mine = given.filter((candidate) => candidate.name === name).map(({ value }) => value)
  if (flag.kind === 'switch') return mine.at(-1) ?? flag.default ?? false
  return flag.repeatable === true ? mine.map(String) : (mine.at(-1) ?? flag.default)
}
