import { z } from 'zod'
import { LEDGER_ACTS } from '#/core/ledger/acts.ts'
import { LOOP_IDS } from '#/core/recovery/recovery.ts'
import { gateProof } from './ledger-schemas.ts'
import { document, milliseconds, name, schemaVersion } from './openapi-schemas.ts'

export const breakersPage = document(
  'Breakers',
  z.strictObject({
    schemaVersion,
    breakers: z.array(
      z.strictObject({
        key: z.string().meta({ description: '`credential/…`, `owner/…`, `repository/…` or `node/…`' }),
        state: z.enum(['closed', 'open', 'half-open']).meta({ description: '`half-open`: the next attempt decides' }),
        failures: z.int().meta({ description: 'Since the last success' }),
        openUntil: milliseconds.nullable(),
        why: z.string().nullable().meta({ description: 'The last failure' }),
        changedAt: milliseconds,
      }),
    ),
  }),
)

export const resetQuery = z.strictObject({ key: name.meta({ description: 'Of the breaker, as the list shows it' }) })

export const resetBreaker = document('ResetBreaker', z.strictObject({ schemaVersion, reset: z.string() }))

const loops = z
  .string()
  .max(500)
  .transform((text) => text.split(','))
  .pipe(z.array(z.enum(LOOP_IDS)))

export const recoverQuery = z.strictObject({
  dryRun: z.literal('true').meta({ description: 'Must be `true`: the loops act by themselves' }),
  loops: loops.optional().meta({ description: 'Only these, separated by commas' }),
})

export const recoverReport = document(
  'RecoverReport',
  z.strictObject({
    schemaVersion,
    loops: z.array(
      z.strictObject({
        loop: z.enum(LOOP_IDS),
        disabled: z.boolean().meta({ description: 'By `recovery.disabled`: it does nothing' }),
        candidates: z.array(
          z.strictObject({
            loop: z.enum(LOOP_IDS),
            act: z
              .enum(LEDGER_ACTS)
              .nullable()
              .meta({ description: 'Null: what GitHub or the cluster reported is written down' }),
            subject: z.strictObject({
              kind: z.string(),
              namespace: z.string().nullable(),
              name: z.string(),
              uid: z.string().nullable(),
            }),
            decision: z.enum(['would-remove', 'refused', 'blind']),
            decidedBy: z.string().nullable().meta({ description: 'The first check that does not hold' }),
            sinceSeconds: z.int().meta({ description: 'How long it has been stuck' }),
            gates: z.array(gateProof),
          }),
        ),
      }),
    ),
  }),
)
