/** Answers in GitHub's format. */

const DOCUMENTATION = 'https://docs.github.com/rest'

export function json(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
  })
}

export function noContent(): Response {
  return new Response(null, { status: 204 })
}

export function refusal(status: number, message: string, headers: Readonly<Record<string, string>> = {}): Response {
  return json(status, { message, documentation_url: DOCUMENTATION, status: String(status) }, headers)
}

export const notFound = (): Response => refusal(404, 'Not Found')
export const badCredentials = (): Response => refusal(401, 'Bad credentials')

/** GitHub knows two shapes of a 422; runners use the one with plain sentences. */
export function unprocessable(message: string, errors?: readonly string[]): Response {
  return json(422, { message, documentation_url: DOCUMENTATION, ...(errors === undefined ? {} : { errors }) })
}

export function validationFailed(resource: string, field: string, code: string): Response {
  return json(422, {
    message: 'Validation Failed',
    documentation_url: DOCUMENTATION,
    errors: [{ resource, field, code }],
  })
}

export function isoTime(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d{3}Z$/, 'Z')
}

export function isoTimeOrNull(ms: number | null): string | null {
  return ms === null ? null : isoTime(ms)
}
