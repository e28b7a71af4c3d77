import { z } from 'zod'
import { BYTES_FORM, parseBytes } from '#/core/basics/bytes.ts'
import { DURATION_FORM, parseDuration } from '#/core/basics/duration.ts'

/** What the schema itself cannot say about a setting. */
export type About = {
  readonly description: string
  /** Never shown: as a whole, or the passwords in an address. */
  readonly secret?: 'whole' | 'url'
  /** Variables without our prefix that are honoured too, the first that is set. */
  readonly variables?: readonly string[]
  /** How a text from the environment or a flag is read; as it is without it. */
  readonly fromText?: 'list' | 'integer' | 'number' | 'boolean'
  /** A path, or several as PATH has them. In a file, a relative one counts from the folder of that file. */
  readonly path?: 'one' | 'several'
}

export const about = z.registry<About>()

export function setting<S extends z.ZodType>(schema: S, told: About): S {
  const described = schema.meta({ description: told.description })
  about.add(described, told)
  return described
}

export const text = z.string().min(1, 'is empty').max(65_536, 'is too long')
export const duration = parsed(parseDuration, DURATION_FORM).refine((ms) => ms > 0, 'is not longer than nothing')
export const bytes = parsed(parseBytes, BYTES_FORM)
export const webAddress = text.refine(isWebAddress, 'is not an http or https address without credentials')
export const proxyAddress = text.refine(
  (value) => /^https?:\/\/[^\s]+$/.test(value) && URL.canParse(value),
  'is not an http or https address',
)
export const databaseAddress = text.refine(
  (value) => /^postgres(ql)?:\/\//.test(value) && URL.canParse(value),
  'is not an address like postgres://host:5432/name',
)
export const positive = z.int('is not a whole number').positive('is not above zero')

export function parsed<T>(parse: (text: string) => T | null, form: string) {
  return z.string().transform((value, context): T => {
    const result = parse(value)
    if (result !== null) return result
    context.issues.push({ code: 'custom', message: `is not ${form}`, input: value })
    return z.NEVER
  })
}

function isWebAddress(value: string): boolean {
  if (!URL.canParse(value)) return false
  const { protocol, username, password } = new URL(value)
  return (protocol === 'https:' || protocol === 'http:') && username === '' && password === ''
}
