import { request } from 'node:https'
import { text } from 'node:stream/consumers'

/** What a client needs to call the API server. */
export interface ApiAccess {
  readonly url: string
  readonly token: string
  /** PEM. */
  readonly certificateAuthority: string
}

export interface ApiRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** With its query, for example `/api/v1/pods?limit=1`. */
  readonly path: string
  readonly body?: unknown
  /** For PATCH, for example `application/merge-patch+json`. */
  readonly contentType?: string
}

export interface ApiAnswer {
  readonly status: number
  readonly text: string
}

/** For the tests only, so it is simple: no retries, no watch, a new connection each time. */
export async function callApi(access: ApiAccess, call: ApiRequest): Promise<ApiAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<ApiAnswer>()
  const outgoing = request(
    new URL(call.path, access.url),
    {
      method: call.method ?? 'GET',
      ca: access.certificateAuthority,
      agent: false,
      headers: {
        authorization: `Bearer ${access.token}`,
        'content-type': call.contentType ?? 'application/json',
      },
    },
    (incoming) => {
      text(incoming).then((body) => resolve({ status: incoming.statusCode ?? 0, text: body }), reject)
    },
  )
  outgoing.once('error', reject)
  outgoing.end(call.body === undefined ? undefined : JSON.stringify(call.body))
  return await promise
}
