import { Ajv2020 } from 'ajv/dist/2020.js'
import type { Hono } from 'hono'
import { at, toFields, textAt } from '#/core/basics/fields.ts'
import { openApi } from '#/server/openapi.ts'

const description = openApi()
const ajv = new Ajv2020({ strict: true, allowUnionTypes: true })
ajv.addKeyword('components')
ajv.addSchema({ $id: 'api', components: description['components'] })

export class Undescribed extends Error {
  readonly code = 'UNDESCRIBED'
}

/** Sends a request, and throws if the answer does not match the description. */
export async function askChecked(app: Hono, path: string, init: RequestInit = {}): Promise<Response> {
  const answer = await app.request(`http://127.0.0.1${path}`, init)
  await checkAnswer({ method: init.method ?? 'GET', path }, answer.clone())
  return answer
}

export async function checkAnswer(asked: { method: string; path: string }, answer: Response): Promise<void> {
  const { pathname } = new URL(asked.path, 'http://127.0.0.1')
  const called = `${asked.method} ${pathname} ${answer.status}`
  const content = describedContent(asked.method, pathname, answer.status)
  if (content === null) throw new Undescribed(`${called} is not described`)
  const type = (answer.headers.get('content-type') ?? '').split(';')[0] ?? ''
  const described = toFields(content)[type]
  if (described === undefined) throw new Undescribed(`${called}: ${type} is not described`)
  const reference = textAt(described, 'schema', '$ref')
  if (reference === null) return
  const validate = ajv.getSchema(`api${reference}`)
  if (validate === undefined) throw new Undescribed(`${called}: ${reference} is not there`)
  if (validate(await answer.json()) !== true) {
    throw new Undescribed(`${called}: ${ajv.errorsText(validate.errors)}`)
  }
}

/** A method that a path does not have gets an answer that one of its methods describes. */
function describedContent(method: string, pathname: string, status: number): unknown {
  const template = findTemplate(pathname)
  if (template === null) return status === 404 ? { 'application/problem+json': PROBLEM } : null
  const operations = toFields(at(description, 'paths', template))
  const operation = operations[method.toLowerCase()] ?? (status === 405 ? Object.values(operations)[0] : undefined)
  return at(operation, 'responses', String(status), 'content') ?? null
}

const PROBLEM = { schema: { $ref: '#/components/schemas/Problem' } }

function findTemplate(pathname: string): string | null {
  const templates = Object.keys(toFields(description['paths']))
  if (templates.includes(pathname)) return pathname
  return templates.find((one) => new RegExp(`^${one.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(pathname)) ?? null
}
