import { z } from 'zod'
import { HOST_FILES } from '#/ports/this-host.ts'
import { nameText, reason, time } from './fields.ts'
import { LIMITS } from './limits.ts'

/** Both become parts of a path: an agent must not choose where its evidence is stored. */
const containerName = z.string().regex(/^[a-z0-9][-a-z0-9]{0,62}$/)
const counterName = z.string().regex(/^[a-z]{1,20}\.[a-z_]{1,50}$/)

/** The first line of an answer's body. For a journal, its lines follow. */
export const answerHead = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('blind'), reason }),
  z.strictObject({ kind: z.literal('none') }),
  z.strictObject({
    kind: z.literal('journal'),
    from: time,
    to: time.nullable(),
    /** Null: the whole window was read. Otherwise only this many milliseconds before and after each death. */
    around: time.nullable(),
    gaps: z.array(reason).max(100),
  }),
  z.strictObject({
    kind: z.literal('files'),
    files: z.partialRecord(
      z.enum(HOST_FILES),
      z.discriminatedUnion('kind', [
        z.strictObject({ kind: z.literal('seen'), value: z.string() }),
        z.strictObject({ kind: z.literal('none') }),
        z.strictObject({ kind: z.literal('blind'), reason }),
      ]),
    ),
  }),
  z.strictObject({
    kind: z.literal('cgroups'),
    copies: z
      .array(
        z.strictObject({
          container: containerName.nullable(),
          /** Null: read for this question. */
          readAt: time.nullable(),
          files: z.record(counterName, z.string().max(65_536)),
        }),
      )
      .max(200),
  }),
  z.strictObject({
    kind: z.literal('logs'),
    logs: z
      .array(z.strictObject({ container: nameText, previous: z.boolean(), text: z.string(), cut: z.boolean() }))
      .max(200),
  }),
  z.strictObject({ kind: z.literal('processes'), text: z.string().max(LIMITS.processesLength) }),
])
export type AnswerHead = z.output<typeof answerHead>
