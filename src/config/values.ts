import { z } from 'zod'
import { BYTES_FORM, parseBytes } from '#/core/basics/bytes.ts'
import { DURATION_FORM, parseDuration } from '#/core/basics/duration.ts'

/** What the schema itself cannot express. */
export type About = {
  readonly description: string
  /** Never printed: the whole value, or the passwords in a URL. */
  readonly secret?: 'whole' | 'url'
  /** Variables without our prefix that are also read; the first that is set wins. */
  readonly variables?: readonly string[]
  /** How text from the environment or a flag is parsed; default: as it is. */
  readonly fromText?: 'list' | 'integer' | 'number' | 'boolean'
  /** A path, or several separated like PATH. In a file, relative paths start at the folder of that file. */
  readonly path?: 'one' | 'several'
}

export const about = z.registry<About>()

export function setting<S extends z.ZodType>(schema: S, details: About): S {
  const described = schema.meta({ description: details.description })
  about.add(described, details)
  return described
}

export const text = z.string().min(1, 'must not be empty').max(65_536, 'must be at most 65536 characters')
export const duration = parsed(parseDuration, DURATION_FORM).refine((ms) => ms > 0, 'must be greater than 0')
export const bytes = parsed(parseBytes, BYTES_FORM)
export const webAddress = text.refine(isWebAddress, 'must be an http or https URL without credentials')
export const serverAddress = text.refine(
  (value) => isWebAddress(value) || /^unix:\/./.test(value),
  'must be an http or https URL without credentials, or unix:/PATH',
)
export const proxyAddress = text.refine(
  (value) => /^https?:\/\/[^\s]+$/.test(value) && URL.canParse(value),
  'must be an http or https URL',
)
export const databaseAddress = text.refine(
  (value) => /^postgres(ql)?:\/\//.test(value) && URL.canParse(value),
  'must be a URL like postgres://host:5432/name',
)
export const positive = z.int('must be a whole number').positive('must be greater than 0')

export function parsed<T>(parse: (text: string) => T | null, form: string) {
  return z.string().transform((value, context): T => {
    const result = parse(value)
    if (result !== null) return result
    context.issues.push({ code: 'custom', message: `must be ${form}`, input: value })
    return z.NEVER
  })
}

function isWebAddress(value: string): boolean {
  if (!URL.canParse(value)) return false
  const { protocol, username, password } = new URL(value)
  return (protocol === 'https:' || protocol === 'http:') && username === '' && password === ''
}
