import type { Flag } from './flag.ts'
import type { Vocabulary } from './vocabulary.ts'
import { spelling } from './vocabulary.ts'
import { didYouMean } from '#/core/basics/did-you-mean.ts'

/** The command line split into flags and words, before the command is known. */
export type Scanned = {
  readonly flags: readonly GivenFlag[]
  readonly words: readonly Word[]
  /** The first one; what follows it may have been misread. */
  readonly problem: Problem | null
}
export type GivenFlag = { readonly name: string; readonly value: string | boolean; readonly spelled: string }
export type Word = {
  readonly text: string
  /** After `--`: never the name of a command. */
  readonly literal: boolean
}
export type Problem = { readonly message: string; readonly meant: readonly string[] }

type Step = { readonly flags: readonly GivenFlag[]; readonly problem: Problem | null; readonly tookNext: boolean }

export function scan(argv: readonly string[], vocabulary: Vocabulary): Scanned {
  const flags: GivenFlag[] = []
  const words: Word[] = []
  let problem: Problem | null = null
  for (let index = 0; index < argv.length; index++) {
    const text = argv[index] ?? ''
    if (text === '--') {
      words.push(...argv.slice(index + 1).map((rest) => ({ text: rest, literal: true })))
      break
    }
    if (!text.startsWith('-') || text === '-') {
      words.push({ text, literal: false })
      continue
    }
    const next = argv[index + 1]
    const step = text.startsWith('--') ? longFlag(text, next, vocabulary) : shortFlags(text, next, vocabulary)
    flags.push(...step.flags)
    problem ??= step.problem
    if (step.tookNext) index++
  }
  return { flags, words, problem }
}

function longFlag(text: string, next: string | undefined, vocabulary: Vocabulary): Step {
  const equals = text.indexOf('=')
  const spelled = equals < 0 ? text : text.slice(0, equals)
  const attached = equals < 0 ? undefined : text.slice(equals + 1)
  const name = spelled.slice(2)
  const flag = vocabulary.long.get(name)
  if (flag?.kind === 'option') return option({ name, spelled, flag }, attached, next)
  if (flag?.kind === 'switch') return switched({ name, spelled, on: true }, attached)
  const negated = name.startsWith('no-') ? name.slice('no-'.length) : ''
  if (vocabulary.long.get(negated)?.kind === 'switch') return switched({ name: negated, spelled, on: false }, attached)
  return failed(unknownFlag(spelled, vocabulary))
}

/** `-n x`, `-nx`, `-n=x`, and switches in one word (`-qA`), where the last letter may be an option (`-qn x`). */
function shortFlags(text: string, next: string | undefined, vocabulary: Vocabulary): Step {
  const flags: GivenFlag[] = []
  for (let index = 1; index < text.length; index++) {
    const spelled = `-${text[index]}`
    const name = vocabulary.short.get(text[index] ?? '')
    const flag = name === undefined ? undefined : vocabulary.long.get(name)
    if (name === undefined || flag === undefined) {
      return { flags, problem: unknownFlag(spelled, vocabulary), tookNext: false }
    }
    if (flag.kind === 'option') {
      const rest = text.slice(index + 1)
      const step = option({ name, spelled, flag }, rest === '' ? undefined : rest.replace(/^=/, ''), next)
      return { ...step, flags: [...flags, ...step.flags] }
    }
    flags.push({ name, value: true, spelled })
  }
  return { flags, problem: null, tookNext: false }
}

function option(
  {
    name,
    spelled,
    flag,
  }: { readonly name: string; readonly spelled: string; readonly flag: Flag & { kind: 'option' } },
  attached: string | undefined,
  next: string | undefined,
): Step {
  const nextIsFlag = next !== undefined && next !== '-' && next.startsWith('-')
  const value = attached ?? (nextIsFlag ? undefined : next)
  if (value === undefined || value === '') {
    const dash = nextIsFlag ? ` (write a value that starts with a dash as ${spelled}=${flag.value})` : ''
    return failed({ message: `${spelled} needs a value: ${flag.value}${dash}`, meant: [] })
  }
  return { flags: [{ name, value, spelled }], problem: null, tookNext: attached === undefined }
}

function switched(
  { name, spelled, on }: { readonly name: string; readonly spelled: string; readonly on: boolean },
  attached: string | undefined,
): Step {
  if (attached === undefined || attached === 'true' || attached === 'false') {
    return { flags: [{ name, value: attached === 'false' ? !on : on, spelled }], problem: null, tookNext: false }
  }
  return failed({ message: `${spelled} takes only true or false`, meant: [] })
}

function failed(problem: Problem): Step {
  return { flags: [], problem, tookNext: false }
}

function unknownFlag(spelled: string, vocabulary: Vocabulary): Problem {
  const known = [...vocabulary.long].map(([name, flag]) => spelling(name, flag))
  return { message: `unknown flag: ${spelled}`, meant: didYouMean(spelled, known) }
}
