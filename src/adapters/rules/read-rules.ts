import { readDocument } from '#/adapters/documents/placed-document.ts'
import type { Problem, Remark } from '#/adapters/documents/problem.ts'
import { byPlace, placed } from '#/adapters/documents/problem.ts'
import { schemaProblems } from '#/adapters/documents/schema-problems.ts'
import type { Signature } from '#/core/evidence/signature.ts'
import type { Cause } from '#/core/why/cause.ts'
import { ownCause } from '#/core/why/weighing/own-cause.ts'
import type { Draft } from './draft-pattern.ts'
import { draftPattern } from './draft-pattern.ts'
import type { Item } from './rules-items.ts'
import { idsIn, validItems } from './rules-items.ts'
import type { KnownClues } from './rules-references.ts'
import { takenNames, unknownNames } from './rules-references.ts'
import { RULES_LIMITS, causeSchema, rulesSchema, signatureSchema } from './rules-schema.ts'
import type { SignatureRule } from './rules-schema.ts'

/** What the program knows already, and a file may speak of but not replace. */
export type BuiltIn = { readonly signatures: readonly Signature[]; readonly causes: readonly string[] }

export type OwnRules = { readonly signatures: readonly Signature[]; readonly causes: readonly Cause[] }

export type RulesReading =
  | ({ readonly kind: 'read'; readonly warnings: readonly Problem[] } & OwnRules)
  | {
      readonly kind: 'refused'
      /** The file is wrong. */
      readonly mistakes: readonly Problem[]
      /** It does not do what its own examples say. */
      readonly failures: readonly Problem[]
    }

const ESCAPE_ADVICE = "write regular expressions in single quotes: '\\d+'"

/** Signatures and causes of a file, in YAML or JSON; where it is wrong, every mistake in it at once. */
export function readRules(text: string, builtIn: BuiltIn): RulesReading {
  const document = readDocument(text, ESCAPE_ADVICE)
  if (document.problems.length > 0) return { kind: 'refused', mistakes: document.problems, failures: [] }
  const { value } = document
  const given = {
    signatures: validItems(value, 'signatures', { schema: signatureSchema, most: RULES_LIMITS.patterns }),
    causes: validItems(value, 'causes', { schema: causeSchema, most: RULES_LIMITS.causes }),
  }
  const tooMany = tooManyPatterns(given.signatures)
  const drafts = tooMany.length > 0 ? [] : given.signatures.map(draftSignature)
  const patterns = drafts.flatMap((draft) => draft.patterns)
  const known = knownClues(value, builtIn, drafts)
  const mistakes = [
    ...schemaProblems(rulesSchema.safeParse(value).error?.issues ?? [], rulesSchema, document),
    ...placed(
      [
        ...emptyFile(value),
        ...tooMany,
        ...takenNames(
          idsIn(value, 'signatures'),
          'signatures',
          builtIn.signatures.map(({ id }) => id),
        ),
        ...takenNames(idsIn(value, 'causes'), 'causes', [...builtIn.causes, 'unknown']),
        ...patterns.flatMap((draft) => draft.mistakes),
        ...unknownNames(given.causes, known),
      ],
      document.at,
    ),
  ]
  const failures = placed(
    patterns.flatMap((draft) => draft.failures),
    document.at,
  )
  if (mistakes.length + failures.length > 0) return { kind: 'refused', mistakes: mistakes.toSorted(byPlace), failures }
  return {
    kind: 'read',
    signatures: drafts.map(({ signature }) => signature),
    causes: given.causes.map(({ rule }) =>
      ownCause(rule, (clue) => known.get(clue)?.patterns.flatMap(({ streams }) => streams) ?? []),
    ),
    warnings: placed(
      patterns.flatMap((draft) => draft.warnings),
      document.at,
    ),
  }
}

type SignatureDraft = { readonly signature: Signature; readonly patterns: readonly Draft[] }

function draftSignature({ rule, index }: Item<SignatureRule>): SignatureDraft {
  const patterns = rule.patterns.map((pattern, at) => draftPattern(pattern, ['signatures', index, 'patterns', at]))
  return { signature: { ...rule, patterns: patterns.flatMap(({ pattern }) => pattern ?? []) }, patterns }
}

function knownClues(value: unknown, builtIn: BuiltIn, drafts: readonly SignatureDraft[]): KnownClues {
  const whole = drafts.filter(({ patterns }) => patterns.every(({ pattern }) => pattern !== null))
  return new Map<string, Signature | null>([
    ...idsIn(value, 'signatures').map(({ rule: id }) => [id, null] as const),
    ...[...builtIn.signatures, ...whole.map(({ signature }) => signature)].map((one) => [one.id, one] as const),
  ])
}

function emptyFile(value: unknown): readonly Remark[] {
  if (typeof value !== 'object' || value === null || 'signatures' in value || 'causes' in value) return []
  return [{ path: [], message: 'has neither signatures nor causes', advice: 'see docs/own-rules.md for a beginning' }]
}

function tooManyPatterns(signatures: readonly Item<SignatureRule>[]): readonly Remark[] {
  const count = signatures.reduce((sum, { rule }) => sum + rule.patterns.length, 0)
  if (count <= RULES_LIMITS.patterns) return []
  const message = `have ${count} patterns together, of which ${RULES_LIMITS.patterns} are allowed`
  return [{ path: ['signatures'], message, advice: 'put alternatives into one regex: (?:a|b)' }]
}
