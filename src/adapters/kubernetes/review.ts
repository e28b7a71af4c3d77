import type { Observed } from '#/core/basics/observed.ts'
import { blind, seen } from '#/core/basics/observed.ts'
import type { AccessRequest, AccessVerdict, TokenReviewRequest, TokenVerdict } from '#/ports/kubernetes.ts'
import type { JsonRecord } from './record.ts'
import { asRecord, asText } from './record.ts'
import { interpret, toBlind } from './reply.ts'
import type { Transport } from './transport.ts'

const TOKEN_REVIEWS = '/apis/authentication.k8s.io/v1/tokenreviews'
const ACCESS_REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'

export async function reviewToken(
  transport: Transport,
  { token, audience }: TokenReviewRequest,
  signal: AbortSignal,
): Promise<Observed<TokenVerdict>> {
  const review = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenReview',
    spec: { token, audiences: [audience] },
  }
  const status = await ask(transport, TOKEN_REVIEWS, review, signal)
  if (status.kind !== 'seen') return status
  return readTokenVerdict(status.value, audience)
}

export async function canI(
  transport: Transport,
  request: AccessRequest,
  signal: AbortSignal,
): Promise<Observed<AccessVerdict>> {
  const review = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: accessSpec(request),
  }
  const status = await ask(transport, ACCESS_REVIEWS, review, signal)
  if (status.kind !== 'seen') return status
  const { allowed, reason } = status.value
  if (typeof allowed !== 'boolean') return blind('malformed', `POST ${ACCESS_REVIEWS}: no verdict in the answer`)
  return seen({ allowed, reason: asText(reason) ?? '' })
}

async function ask(
  transport: Transport,
  path: string,
  body: object,
  signal: AbortSignal,
): Promise<Observed<JsonRecord>> {
  const what = `POST ${path}`
  const reply = interpret(await transport.exchange({ method: 'POST', path, body }, signal), what)
  if (reply.kind !== 'ok') return toBlind(reply)
  const status = asRecord(reply.value['status'])
  return status === null ? blind('malformed', `${what}: no status in the answer`) : seen(status)
}

function readTokenVerdict(status: JsonRecord, audience: string): Observed<TokenVerdict> {
  // An absent field is Go's way to write false.
  const { authenticated = false, audiences, error } = status
  if (typeof authenticated !== 'boolean') return blind('malformed', `POST ${TOKEN_REVIEWS}: no verdict in the answer`)
  if (!authenticated) return seen({ kind: 'invalid', message: asText(error) ?? 'not authenticated' })
  // An authenticator that knows nothing of audiences accepts the token for the API server alone and names none.
  if (!Array.isArray(audiences) || !audiences.includes(audience)) {
    return seen({ kind: 'invalid', message: `the token is not for ${audience}` })
  }
  const user = asRecord(status['user'])
  const username = asText(user?.['username'])
  if (user === null || username === null) return blind('malformed', `POST ${TOKEN_REVIEWS}: no user in the answer`)
  return seen({ kind: 'valid', username, groups: texts(user['groups']), pod: readPod(asRecord(user['extra'])) })
}

function readPod(extra: JsonRecord | null): { readonly name: string; readonly uid: string } | null {
  const [name] = texts(extra?.['authentication.kubernetes.io/pod-name'])
  const [uid] = texts(extra?.['authentication.kubernetes.io/pod-uid'])
  return name === undefined || uid === undefined ? null : { name, uid }
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
}

function accessSpec(request: AccessRequest): object {
  if ('path' in request) return { nonResourceAttributes: { verb: request.verb, path: request.path } }
  const { verb, resource, subresource, namespace, name } = request
  const { group, version, plural } = resource
  return { resourceAttributes: { verb, group, version, resource: plural, subresource, namespace, name } }
}
