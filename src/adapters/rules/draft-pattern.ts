import type { Path, Remark } from '#/adapters/documents/problem.ts'
import type { Pattern } from '#/core/evidence/signature.ts'
import { failedExamples } from './pattern-examples.ts'
import { compileRe2 } from './re2-regex.ts'
import type { PatternRule } from './rules-schema.ts'

/** A pattern of a file, compiled and held to its own examples. */
export type Draft = {
  /** Null where the regex cannot be used. */
  readonly pattern: Pattern | null
  readonly mistakes: readonly Remark[]
  readonly failures: readonly Remark[]
  readonly warnings: readonly Remark[]
}

export function draftPattern(rule: PatternRule, path: Path): Draft {
  const { regex, flags, literals, reasons, caution, ...rest } = rule
  const compiled = compileRe2(regex, flags ?? '')
  if (compiled.kind === 'refused') return refused([...path, 'regex'], compiled.why, compiled.advice)
  const known = literals ?? compiled.literals
  if (known.length === 0) {
    return refused(
      [...path, 'regex'],
      'holds no text that is in every line which it matches, and there are no literals',
      'give literals: texts of which each such line has one at least; lines without them are not looked at',
    )
  }
  const pattern: Pattern = {
    ...rest,
    ...(reasons === undefined ? {} : { reasons }),
    ...(caution === undefined ? {} : { caution }),
    regex: compiled.regex,
    literals: known,
  }
  return {
    pattern,
    mistakes: uselessReasons(rule, path),
    failures: failedExamples(pattern, path),
    warnings: costs(known, [...path, literals === undefined ? 'regex' : 'literals']),
  }
}

function refused(path: Path, message: string, advice: string): Draft {
  return { pattern: null, mistakes: [{ path, message, advice }], failures: [], warnings: [] }
}

function uselessReasons({ reasons, streams }: PatternRule, path: Path): readonly Remark[] {
  if (reasons === undefined || streams.includes('event')) return []
  const advice = 'only events have a reason: add event to the streams, or leave reasons out'
  return [{ path: [...path, 'reasons'], message: 'are of no use without the stream event', advice }]
}

/** Shorter ones are in nearly every line. */
const RARE_CHARACTERS = 3

function costs(literals: readonly string[], path: Path): readonly Remark[] {
  const short = literals.find((literal) => literal.length < RARE_CHARACTERS)
  if (short === undefined) return []
  const message = `is tried on every line that has ${JSON.stringify(short)} in it, which is most of them`
  return [{ path, message, advice: 'it works, and costs time on large logs: give longer literals' }]
}
