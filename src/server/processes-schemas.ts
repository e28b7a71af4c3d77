import { z } from 'zod'
import { BLIND_CODES } from '#/core/basics/observed.ts'
import { document, name, schemaVersion } from './openapi-schemas.ts'

/** The query parameters: one container of one runner. */
export const processesQuery = z.strictObject({
  node: name.meta({ description: 'The node of the runner' }),
  uid: name.meta({ description: 'UID of its pod' }),
  container: name.meta({ description: 'Name of its runner container' }),
})

export const processesDocument = document(
  'Processes',
  z.strictObject({
    schemaVersion,
    processes: z.string().nullable().meta({
      description: 'As `ps -eo pid,ppid,etimes,args` prints them, redacted and cut; null if they were not seen',
    }),
    blind: z
      .strictObject({ code: z.enum(BLIND_CODES), detail: z.string() })
      .nullable()
      .meta({ description: 'Why they were not seen' }),
  }),
)
