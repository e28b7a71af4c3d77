import { z } from 'zod'
import { LEDGER_ACTS, LEDGER_OUTCOMES } from '#/core/ledger/acts.ts'
import type { LedgerDocument } from '#/core/ledger/ledger-document.ts'
import type { LedgerFilter } from '#/ports/store/ledger.ts'
import { document, moment, name, nextPage, pageSize, schemaVersion } from './openapi-schemas.ts'

const time = z.string().meta({ description: 'RFC 3339, UTC' })
const epoch = z.int().nullable().meta({ description: 'Of the leader; null if it was not the leader that wrote it' })
const act = z.enum(LEDGER_ACTS)
const outcome = z.enum(LEDGER_OUTCOMES).meta({ description: '`planned`: it began and has not ended' })

export const gateProof = z.strictObject({
  gate: z.string(),
  holds: z.boolean().nullable().meta({ description: 'Null: the gate was blind, which refuses' }),
  why: z.string().meta({ description: 'The proof, or the reason against it' }),
  ageSeconds: z.number().meta({ description: 'Age of the fact when the gate looked at it' }),
})

const step = z.strictObject({ step: z.string(), at: time, actor: z.string(), epoch })

export const ledgerRow: z.ZodType<LedgerDocument> = document(
  'LedgerRow',
  z.strictObject({
    id: z.int(),
    at: time,
    act,
    subject: z.strictObject({
      kind: z.string(),
      namespace: z.string().optional(),
      name: z.string(),
      uid: z.string().nullable(),
    }),
    policy: z
      .string()
      .optional()
      .meta({ description: 'Which policy of `reap`; one of policy, loop and command is there' }),
    loop: z.string().optional().meta({ description: 'Which loop of the server' }),
    command: z.string().optional().meta({ description: 'Which command' }),
    actor: z.string().meta({ description: '`signalbox/LOOP`, or the person' }),
    outcome,
    decidedBy: z.string().nullable().meta({ description: 'The first gate that refused' }),
    gates: z.array(gateProof),
    evidence: z.string().nullable().meta({ description: 'UID of the death that was recorded before the act' }),
    epoch,
    why: z.string().nullable().meta({ description: 'What ended it, for a person' }),
    endedAt: time.nullable(),
    run: z.string().meta({ description: 'One run of a command, or one round of a loop' }),
    scaleSet: z.string().nullable().meta({ description: 'NAMESPACE/NAME' }),
    places: z.int().meta({ description: 'How many runners the act removes: its share of the cap' }),
    steps: z.array(step).meta({ description: 'How far it got, in order' }),
  }),
)

export const ledgerPage = document(
  'Ledger',
  z.strictObject({ schemaVersion, ledger: z.array(ledgerRow), next: nextPage }),
)

const cursor = z
  .string()
  .regex(/^-?\d{1,16}_\d{1,16}$/, 'is not a value of `next`')
  .transform((text) => {
    const [at, id] = text.split('_').map(Number)
    return { at: at ?? 0, id: id ?? 0 }
  })

/** The query parameters of the list. */
export const ledgerQuery = z.strictObject({
  id: moment.optional().meta({ description: 'Only this row' }),
  since: moment.optional().meta({ description: 'Began at or after this time, in milliseconds since 1970' }),
  until: moment.optional().meta({ description: 'Began before this time, in milliseconds since 1970' }),
  act: act.optional().meta({ description: 'Only this act' }),
  actor: name.optional().meta({ description: 'Only what this actor began' }),
  outcome: z.enum(LEDGER_OUTCOMES).optional().meta({ description: 'Only this outcome' }),
  name: name.optional().meta({ description: 'Only the subject with this name' }),
  limit: pageSize,
  after: cursor.optional().meta({ description: 'The value of `next` from the previous page' }),
})

/** Drops parameters that were not given. */
export function toLedgerFilter({ limit, ...asked }: z.output<typeof ledgerQuery>): LedgerFilter {
  const given = Object.entries(asked).filter(([, value]) => value !== undefined)
  return { ...(Object.fromEntries(given) as Omit<LedgerFilter, 'limit'>), limit }
}
