import { z } from 'zod'
import { LONGEST_LINE } from '#/core/evidence/find-clues.ts'
import { STREAMS } from '#/core/evidence/signature.ts'

/** More is not a file that a person keeps, and the bounds keep what a hostile one costs small. */
export const RULES_LIMITS = { fileBytes: 1_048_576, patterns: 500, causes: 200, regexCharacters: 1_000 } as const

const LONGEST_TEXT = 1_000
const LONGEST_ID = 64
const MOST_ITEMS = 100
const MOST_WEIGHT = 0.95

/** What people may name in `settledBy`: the sources that a verdict can miss. */
const SETTLING_SOURCES = [
  'kubernetes/pods',
  'kubernetes/events',
  'kubernetes/audit',
  'kubernetes/nodes',
  'kubernetes/ephemeralrunners',
  'logs',
  'journal',
  'cgroup',
  'host',
  'github/jobs',
  'github/annotations',
  'github/logs',
  'github/runners',
  'github/rate-limit',
] as const

const id = z
  .string()
  .max(LONGEST_ID, `is longer than ${LONGEST_ID} characters`)
  .regex(
    /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/,
    'is not a name like license-refused: small letters, digits and single dashes',
  )

const text = z.string().regex(/\S/, 'is empty').max(LONGEST_TEXT, `is longer than ${LONGEST_TEXT} characters`)
const line = text.regex(/^[^\r\n]*$/, 'is more than one line')
const example = z
  .string()
  .min(1, 'is empty')
  .max(LONGEST_LINE, `is longer than ${LONGEST_LINE} characters, of which no more are read`)

function several<S extends z.ZodType>(item: S) {
  return z.array(item).min(1, 'is empty').max(MOST_ITEMS, `has more than ${MOST_ITEMS} items`)
}

const pattern = z.strictObject({
  streams: several(z.enum(STREAMS)).meta({ description: 'Where the line may come from' }),
  reasons: several(line)
    .optional()
    .meta({ description: 'Events only: the reasons under which the message means this' }),
  regex: z
    .string()
    .min(1, 'is empty')
    .max(RULES_LIMITS.regexCharacters, `is longer than ${RULES_LIMITS.regexCharacters} characters`)
    .meta({ description: 'In the syntax of RE2. Named groups are the fields of the clue: (?P<name>…) or (?<name>…)' }),
  flags: z
    .string()
    .regex(/^(?!.*(.).*\1)[ims]*$/, 'has other letters than i, m and s, or one of them twice')
    .optional()
    .meta({ description: 'i: capitals do not matter; m: ^ and $ at each line; s: a dot matches a line break' }),
  literals: several(text).optional().meta({
    description:
      'At least one of these is in every line that the regex matches, capitals or not; lines without are not looked at. Taken from the regex where it holds such a text',
  }),
  strength: z
    .enum(['decisive', 'strong', 'medium', 'weak', 'context'])
    .meta({ description: 'How much one such line says' }),
  caution: text.optional().meta({ description: 'What a person who reads the clue must know to not be misled' }),
  examples: z
    .strictObject({
      matches: several(example).meta({ description: 'Lines that the regex must match' }),
      rejects: several(example).meta({ description: 'Lines that look alike and that it must not match' }),
    })
    .meta({ description: 'The test of the pattern; it is run whenever the file is read' }),
})

export const signatureSchema = z.strictObject({
  id: id.meta({ description: 'The name of the clue' }),
  says: line.meta({ description: 'One sentence: what a line of this kind says' }),
  patterns: several(pattern),
})

const about = z
  .enum(['subject', 'node'])
  .prefault('subject')
  .meta({ description: 'Whether the clue is about the runner, or about its node near the end' })

const clue = id.meta({ description: 'The name of a signature, of this file or built in' })

export const causeSchema = z.strictObject({
  id: id.meta({ description: 'The name of the cause, as a verdict gives it' }),
  kind: z.enum(['never-started', 'not-a-death', 'death']),
  meaning: line.meta({ description: 'What the cause is, in a few words' }),
  for: several(
    z.strictObject({
      clue,
      weight: z
        .number()
        .positive('is not above zero')
        .max(MOST_WEIGHT, `is above ${MOST_WEIGHT}: no line is certain`)
        .meta({ description: 'How likely the cause is when this is the only clue' }),
      about,
    }),
  ).meta({ description: 'What supports it. A cause is named above 0.5' }),
  against: z
    .array(z.strictObject({ clue, about }))
    .max(MOST_ITEMS, `has more than ${MOST_ITEMS} items`)
    .prefault([])
    .meta({ description: 'What refutes it: with one such clue the cause is out' }),
  settledBy: several(z.enum(SETTLING_SOURCES)).meta({ description: 'The sources that would settle it' }),
  sentence: line
    .regex(/^[^a-z\s].*\.$/, 'does not begin with a capital and end with a full stop')
    .meta({ description: 'The verdict in one sentence. {pod}, {node}, {job} and {clue.group} are filled in' }),
  next: several(line).meta({ description: 'What to do next, filled in like the sentence' }),
})

export const rulesSchema = z.strictObject({
  apiVersion: z.literal('signalbox.dev/v1alpha1'),
  kind: z.literal('Rules'),
  signatures: z
    .array(signatureSchema)
    .max(RULES_LIMITS.patterns, `has more than ${RULES_LIMITS.patterns} items`)
    .prefault([]),
  causes: z.array(causeSchema).max(RULES_LIMITS.causes, `has more than ${RULES_LIMITS.causes} items`).prefault([]),
})

export type SignatureRule = z.output<typeof signatureSchema>
export type PatternRule = SignatureRule['patterns'][number]
export type CauseRule = z.output<typeof causeSchema>

/** Of a file of rules, as a person writes it. */
export function rulesJsonSchema(): Readonly<Record<string, unknown>> {
  return { ...z.toJSONSchema(rulesSchema, { io: 'input' }), title: 'Own signatures and causes of signalbox' }
}
