import { z } from 'zod'
import { schema } from '#/config/schema.ts'

/** The schema of the configuration file as written. */
export function jsonSchema(): Readonly<Record<string, unknown>> {
  return { ...z.toJSONSchema(schema, { io: 'input' }), title: 'signalbox.yaml' }
}
