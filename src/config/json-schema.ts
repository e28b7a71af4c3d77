import { z } from 'zod'
import { schema } from '#/config/schema.ts'

/** Of the configuration file, as a person writes it. */
export function jsonSchema(): Readonly<Record<string, unknown>> {
  return { ...z.toJSONSchema(schema, { io: 'input' }), title: 'signalbox.yaml' }
}
