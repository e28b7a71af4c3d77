import type { ValidateFunction } from 'ajv'
import type { FetchHandler } from '#/sim/github/fetch-handler.ts'
import { describedSchema, documentedOperation } from '#test/github/openapi-description.ts'

/**
 * Statuses that GitHub documents in prose for every endpoint (authentication, permissions, hidden resources, limits,
 * conditional requests, malformed or invalid bodies, things that are gone) and repeats in the description only here and there.
 */
const EVERYWHERE = new Set([304, 400, 401, 403, 404, 410, 422, 429])

/** Parts of the simulated GitHub that are another host at the real one: the storage behind the log links. */
const OTHER_HOSTS = /^\/_logs\//

export class Undocumented extends Error {
  readonly code = 'UNDOCUMENTED'
}

/** Lets through what GitHub's own OpenAPI description allows, and throws on anything else. */
export function checkedAgainstOpenApi(handler: FetchHandler, basePath = ''): FetchHandler {
  return async (request) => {
    const response = await handler(request)
    const { pathname } = new URL(request.url)
    if (!OTHER_HOSTS.test(pathname)) {
      await checkResponse(request.method, pathname.slice(basePath.length), response.clone())
    }
    return response
  }
}

async function checkResponse(method: string, pathname: string, response: Response): Promise<void> {
  const { status } = response
  const operation = documentedOperation(method, pathname)
  if (operation === null) {
    if (status === 404) return
    throw new Undocumented(`${method} ${pathname} is not in GitHub's description`)
  }
  const called = `${method} ${operation.path} ${status}`
  const described = operation.body(status)
  const expected = described === undefined && EVERYWHERE.has(status) ? anywhere(status) : described
  if (expected === undefined) throw new Undocumented(`${called} is not in GitHub's description`)
  const body = await response.text()
  if (expected === null) {
    if (body !== '') throw new Undocumented(`${called} has no body in GitHub's description`)
    return
  }
  checkBody(called, expected, body)
}

function anywhere(status: number): ValidateFunction | null {
  if (status === 304) return null
  return describedSchema(status === 422 ? 'validation-error' : 'basic-error')
}

function checkBody(called: string, expected: ValidateFunction, body: string): void {
  if (expected(parsed(called, body))) return
  const problems = (expected.errors ?? []).map((error) => `${error.instancePath} ${error.message ?? ''}`)
  throw new Undocumented(`${called} does not fit GitHub's description: ${problems.join('; ')}`)
}

function parsed(called: string, body: string): unknown {
  try {
    return JSON.parse(body)
  } catch (cause) {
    throw new Undocumented(`${called} is not JSON`, { cause })
  }
}
