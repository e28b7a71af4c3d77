import { z } from 'zod'
import { ENDS, LEDGER_ACTS } from '#/core/ledger/acts.ts'
import type { AttemptEnd, AttemptStep, EndedAttempt, NewAttempt } from '#/core/ledger/attempt.ts'
import type { LedgerOrigin } from '#/core/ledger/ledger-row.ts'
import { document, milliseconds, schemaVersion } from './openapi-schemas.ts'
import { ledgerRow } from './ledger-schemas.ts'

/** Longer texts are cut where they are stored; this bounds what is read. */
const text = z.string().max(20_000)
const count = z.int().min(0).max(1_000_000)
const gate = z.strictObject({
  gate: text,
  holds: z.boolean().nullable(),
  why: text,
  ageSeconds: z.number().meta({ description: 'Age of the fact when the gate looked at it' }),
})
const gates = z.array(gate).max(100)
const actor = text.optional().meta({ description: 'Ignored: the ledger names who asks' })
const epoch = z.null().optional().meta({ description: 'Only the leader, inside the server, has one' })

const attempt = {
  at: milliseconds,
  act: z.enum(LEDGER_ACTS),
  subject: z.strictObject({ kind: text, namespace: text.nullable(), name: text, uid: text.nullable() }),
  policy: text.optional().meta({ description: 'One of policy, loop and command' }),
  loop: text.optional(),
  command: text.optional(),
  actor,
  epoch,
  gates,
  evidence: text.nullable(),
  run: text.meta({ description: 'One run of a command' }),
  scaleSet: text.nullable().meta({ description: 'NAMESPACE/NAME' }),
  places: count,
}
const places = count.nullable().meta({ description: 'Null: no bound' })

export const newAttemptBody = document(
  'NewAttempt',
  z.strictObject({ ...attempt, cap: z.strictObject({ run: places, set: places }) }),
)

const ending = {
  outcome: z.enum(ENDS),
  decidedBy: text.nullable().meta({ description: 'The gate that refused; null for every other outcome' }),
  why: text.nullable(),
}
export const endedAttemptBody = document('EndedAttempt', z.strictObject({ ...attempt, ...ending }))

const written = {
  after: count.meta({
    description: 'How many steps the attempt had when it was read: one more, and somebody else has it',
  }),
  at: milliseconds,
  actor,
  epoch,
  gates: gates.nullable().meta({ description: 'Null: as before' }),
  evidence: text.nullable().meta({ description: 'Null: as before' }),
}
export const attemptStepBody = document('AttemptStep', z.strictObject({ ...written, step: text }))
export const attemptEndBody = document('AttemptEnd', z.strictObject({ ...written, ...ending }))

export const begunDocument = document(
  'BegunAttempt',
  z.strictObject({
    schemaVersion,
    kind: z.enum(['planned', 'refused', 'taken']).meta({
      description:
        '`taken`: somebody has the same act on the same subject, or it is done. With your own `run` it is yours',
    }),
    row: ledgerRow,
  }),
)
export const movedDocument = document(
  'MovedAttempt',
  z.strictObject({
    schemaVersion,
    kind: z.enum(['moved', 'stale']).meta({ description: '`stale`: nothing was written, somebody else has it now' }),
    row: ledgerRow.nullable(),
  }),
)
export const recordedDocument = document(
  'RecordedAttempt',
  z.strictObject({ schemaVersion, kind: z.literal('recorded'), row: ledgerRow }),
)
export const callerDocument = document(
  'Caller',
  z.strictObject({
    schemaVersion,
    actor: z.string().meta({ description: 'As the ledger names you' }),
    role: z.enum(['read', 'operate']),
  }),
)

const MOST_FILES = 200

export const evidenceBody = document(
  'EvidenceOfAttempt',
  z.strictObject({
    meta: z.string().meta({ description: 'meta.json of an evidence bundle' }),
    files: z
      .array(z.strictObject({ path: z.string(), content: z.string() }))
      .max(MOST_FILES)
      .meta({ description: 'The files of the bundle, as text' }),
  }),
)

export const storedEvidence = document(
  'StoredEvidence',
  z.strictObject({ schemaVersion, evidence: z.string().meta({ description: 'For `signalbox why`' }) }),
)

/** Null: it has none of the three, or more than one. */
function originIn(given: { policy?: string | undefined; loop?: string | undefined; command?: string | undefined }) {
  const entries = Object.entries({ policy: given.policy, loop: given.loop, command: given.command })
  const [own, ...more] = entries.filter(([, value]) => value !== undefined)
  return own === undefined || more.length > 0 ? null : (Object.fromEntries([own]) as LedgerOrigin)
}

type Given<S extends z.ZodType> = z.output<S>

export function toNewAttempt(given: Given<typeof newAttemptBody>, actor: string): NewAttempt | null {
  const { policy, loop, command, ...rest } = given
  const origin = originIn({ policy, loop, command })
  return origin === null ? null : { ...rest, ...origin, actor, epoch: null }
}

export function toEndedAttempt(given: Given<typeof endedAttemptBody>, actor: string): EndedAttempt | null {
  const { policy, loop, command, outcome, decidedBy, why, ...rest } = given
  const origin = originIn({ policy, loop, command })
  const end = toEnding({ outcome, decidedBy, why })
  return origin === null || end === null ? null : { ...rest, ...origin, ...end, actor, epoch: null }
}

export function toStep({ after: _after, ...step }: Given<typeof attemptStepBody>, actor: string): AttemptStep {
  return { ...step, actor, epoch: null }
}

export function toEnd(given: Given<typeof attemptEndBody>, actor: string): AttemptEnd | null {
  const { after: _after, outcome, decidedBy, why, ...rest } = given
  const end = toEnding({ outcome, decidedBy, why })
  return end === null ? null : { ...rest, ...end, actor, epoch: null }
}

function toEnding({ outcome, decidedBy, why }: Pick<Given<typeof attemptEndBody>, 'outcome' | 'decidedBy' | 'why'>) {
  if (outcome !== 'refused') return decidedBy === null ? { outcome, decidedBy, why } : null
  return decidedBy === null ? null : { outcome, decidedBy, why }
}
