import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Ajv } from 'ajv'
import type { ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'

type Description = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation | undefined>>>>
  readonly components: { readonly schemas: Readonly<Record<string, unknown>>; readonly responses: Responses }
}
type Responses = Readonly<Record<string, DescribedResponse | Reference | undefined>>
type Reference = { readonly $ref: string }
type Operation = { readonly responses?: Responses }
type DescribedResponse = {
  readonly content?: Readonly<Record<string, { readonly schema: unknown } | undefined>>
}

export type Documented = {
  readonly path: string
  /** `undefined`: the status is not documented. `null`: it is, without a body. */
  readonly body: (status: number) => ValidateFunction | null | undefined
}

/**
 * Where the description is wrong about GitHub: the list of installations is written out there with an account that is
 * a user and an enterprise at once (`allOf`), which GitHub's own example is not. One installation alone is right.
 */
const ERRATA: Readonly<Record<string, unknown>> = {
  'GET /app/installations 200': { type: 'array', items: { $ref: '#/components/schemas/installation' } },
}

const SCHEMAS = '#/components/schemas/'
const FILE = createRequire(import.meta.url).resolve('@octokit/openapi/generated/api.github.com.json')

/** GitHub's own description of its REST API: 13 MB, so it is read once and schemas are compiled on first use. */
const description = JSON.parse(readFileSync(FILE, 'utf8')) as Description
const paths = Object.keys(description.paths)
  .map((path) => ({ path, pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`) }))
  // A literal segment wins over a parameter: `/runners/downloads` is not a runner.
  .toSorted((a, b) => parameterCount(a.path) - parameterCount(b.path))

const ajv = new Ajv({ strict: false })
addFormats.default(ajv)
ajv.addFormat('uri-template', true)
const compiled = new Map<unknown, ValidateFunction>()

/** `null` for a path or method that GitHub does not describe. */
export function documentedOperation(method: string, pathname: string): Documented | null {
  for (const { path, pattern } of paths) {
    const operation = pattern.test(pathname) ? description.paths[path]?.[method.toLowerCase()] : undefined
    if (operation !== undefined) {
      return { path, body: (status) => findBody(operation, status, ERRATA[`${method} ${path} ${status}`]) }
    }
  }
  return null
}

export function describedSchema(name: string): ValidateFunction {
  const schema = description.components.schemas[name]
  if (schema === undefined) throw new Error(`no schema ${name} in GitHub's description`)
  return validator(schema)
}

function findBody(operation: Operation, status: number, erratum: unknown): ValidateFunction | null | undefined {
  const given = operation.responses?.[String(status)]
  if (given === undefined) return undefined
  const response = '$ref' in given ? referenced(given) : given
  const schema = erratum ?? response.content?.['application/json']?.schema
  return schema === undefined ? null : validator(schema)
}

function referenced(reference: Reference): DescribedResponse {
  const response = description.components.responses[reference.$ref.split('/').at(-1) ?? '']
  if (response === undefined || '$ref' in response) throw new Error(`no response ${reference.$ref}`)
  return response
}

function validator(schema: unknown): ValidateFunction {
  const known = compiled.get(schema)
  if (known !== undefined) return known
  const compiledNow = ajv.compile(asJsonSchema(schema) as object)
  compiled.set(schema, compiledNow)
  return compiledNow
}

/** OpenAPI 3.0 says `nullable`, which JSON Schema does not know: the null is written out. References are added to ajv. */
function asJsonSchema(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asJsonSchema)
  if (typeof value !== 'object' || value === null) return value
  if ('$ref' in value && typeof value.$ref === 'string') return { $ref: knownSchema(value.$ref) }
  const { nullable, ...rest } = Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, asJsonSchema(inner)]),
  )
  return nullable === true ? { anyOf: [rest, { type: 'null' }] } : rest
}

const known = new Set<string>()

function knownSchema(reference: string): string {
  const name = reference.slice(SCHEMAS.length)
  const key = `github:${name}`
  if (known.has(key)) return key
  known.add(key)
  ajv.addSchema(asJsonSchema(description.components.schemas[name]) as object, key)
  return key
}

function parameterCount(path: string): number {
  return path.split('{').length
}
