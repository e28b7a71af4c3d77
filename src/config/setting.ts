import { z } from 'zod'
import { schema } from '#/config/schema.ts'
import type { About } from '#/config/values.ts'
import { about } from '#/config/values.ts'

/** One leaf of the schema with its description. */
export type Setting = {
  /** As in messages: `github.app.id`. */
  readonly path: string
  readonly about: About
  readonly variable: string
  /** As written in a file; undefined for none. */
  readonly default: unknown
}

export const PREFIX = 'SIGNALBOX_'

export const settings: readonly Setting[] = leaves(schema, [])

function leaves(object: z.ZodObject, parents: readonly string[]): readonly Setting[] {
  return Object.entries(object.shape).flatMap(([key, child]) => {
    const path = [...parents, key]
    const inner: unknown = child instanceof z.ZodPrefault ? child.unwrap() : child
    if (inner instanceof z.ZodObject) return leaves(inner, path)
    const description = about.get(child as z.ZodType)
    if (description === undefined) throw new TypeError(`setting ${path.join('.')} is not described`)
    const preset: unknown = child instanceof z.ZodPrefault ? child.def.defaultValue : undefined
    return [{ path: path.join('.'), about: description, variable: variableName(path), default: preset }]
  })
}

/** `github.app.privateKeyFile` is SIGNALBOX_GITHUB_APP_PRIVATE_KEY_FILE. */
function variableName(path: readonly string[]): string {
  const parts = path.map((key) => key.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase())
  return PREFIX + parts.join('_')
}
