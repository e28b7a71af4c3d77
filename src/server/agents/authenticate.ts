import { createHash } from 'node:crypto'
import { textAt } from '#/core/basics/fields.ts'
import type { BearerToken } from '#/ports/bearer-token.ts'
import type { Clock } from '#/ports/clock.ts'
import type { Kubernetes } from '#/ports/kubernetes.ts'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'
import { AUDIENCE } from '#/protocol/version.ts'

/** Who an agent is, as somebody else than itself says it. */
export type Identity =
  | { readonly kind: 'of-node'; readonly node: string }
  /** It has the shared secret: it is believed what it says. */
  | { readonly kind: 'any-node' }
  | Refusal
export type Refusal = { readonly kind: 'refused'; readonly status: 401 | 403 | 503; readonly why: string }

export type AuthenticateOptions = {
  /** Null where there is no cluster: then only the shared secret opens. */
  readonly kubernetes: Pick<Kubernetes, 'reviewToken' | 'get'> | null
  /** `namespace/name` of the agents; null where none is configured and none follows from where we run. */
  readonly serviceAccount: string | null
  /** For trials outside a cluster: who knows it is believed to be of the node that it names. */
  readonly secret: BearerToken | null
  readonly clock: Clock
}

/** Of a crowd, only those are asked about who were let in before: a stranger's guesses must not keep out who stands beside him. */
export type Authenticate = (token: string | null, isCrowd?: boolean) => Promise<Identity>

/** A revoked token is good for no longer than this. */
const REMEMBERED_MS = 60_000
const REFUSED_MS = 5_000
const MOST_REMEMBERED = 5000
const MOST_ASKED = 16
const REVIEW_MS = 10_000
const LONGEST_TOKEN = 8192

/** The token's own word counts for nothing: the API server says whose it is, and on which node that pod runs. */
export function createAuthenticate(options: AuthenticateOptions): Authenticate {
  const remembered = new Map<string, { readonly identity: Identity; readonly until: number }>()
  const asked = new Map<string, Promise<Identity>>()
  const letIn = new Set<string>()
  const remember = (key: string, identity: Identity): void => {
    remembered.delete(key)
    if (identity.kind === 'refused' && identity.status === 503) return
    noteGuest(letIn, key, identity)
    const ms = identity.kind === 'refused' ? REFUSED_MS : REMEMBERED_MS
    remembered.set(key, { identity, until: options.clock.now() + ms })
    const [oldest] = remembered.keys()
    if (remembered.size > MOST_REMEMBERED && oldest !== undefined) remembered.delete(oldest)
  }
  const review = async (key: string, token: string): Promise<Identity> => {
    try {
      const identity = await identityOf(options, token)
      remember(key, identity)
      return identity
    } finally {
      asked.delete(key)
    }
  }
  return async (token, isCrowd = false) => {
    if (!isToken(token)) return refused(401, 'an agent shows a bearer token')
    if ((await options.secret?.judge(token)) === 'right') return { kind: 'any-node' }
    const key = createHash('sha256').update(token).digest('base64')
    const known = remembered.get(key)
    if (known !== undefined && known.until > options.clock.now()) return known.identity
    if (isCrowd && !letIn.has(key)) return refused(401, 'too many wrong tokens came from this address')
    const running = asked.get(key)
    if (running !== undefined) return running
    if (asked.size >= MOST_ASKED) return refused(503, 'too many agents are being checked; come again')
    const asking = review(key, token)
    asked.set(key, asking)
    return asking
  }
}

function isToken(token: string | null): token is string {
  return token !== null && token !== '' && token.length <= LONGEST_TOKEN
}

function noteGuest(letIn: Set<string>, key: string, { kind }: Identity): void {
  letIn.delete(key)
  if (kind === 'refused') return
  letIn.add(key)
  const [oldest] = letIn
  if (letIn.size > MOST_REMEMBERED && oldest !== undefined) letIn.delete(oldest)
}

async function identityOf(options: AuthenticateOptions, token: string): Promise<Identity> {
  const { kubernetes, serviceAccount } = options
  if (kubernetes === null) return refused(403, 'this server has no cluster to ask whose token it is')
  if (serviceAccount === null)
    return refused(403, 'no service account of the agents is configured (agent.serviceAccount)')
  const signal = AbortSignal.timeout(REVIEW_MS)
  const review = await kubernetes.reviewToken({ token, audience: AUDIENCE }, signal)
  if (review.kind !== 'seen') return unchecked('the token could not be reviewed', review)
  const verdict = review.value
  if (verdict.kind === 'invalid') return refused(401, 'the API server does not accept the token')
  const [namespace = '', name = ''] = serviceAccount.split('/')
  if (verdict.username !== `system:serviceaccount:${namespace}:${name}`) {
    return refused(403, `the token is not of the service account ${serviceAccount}`)
  }
  if (verdict.pod === null) return refused(403, 'the token is not bound to a pod')
  return nodeOf(kubernetes, { namespace, ...verdict.pod }, signal)
}

type BoundPod = { readonly namespace: string; readonly name: string; readonly uid: string }

async function nodeOf(
  kubernetes: Pick<Kubernetes, 'get'>,
  { namespace, name, uid }: BoundPod,
  signal: AbortSignal,
): Promise<Identity> {
  const pod = await kubernetes.get({ resource: RESOURCES.pods, namespace, name }, signal)
  if (pod.kind === 'blind') return unchecked('the pod of the token could not be read', pod)
  const node = pod.kind === 'seen' ? textAt(pod.value, 'spec', 'nodeName') : null
  if (pod.kind === 'none' || pod.value.metadata.uid !== uid || node === null) {
    return refused(403, 'the pod of the token does not run')
  }
  return { kind: 'of-node', node }
}

function unchecked(
  what: string,
  observed: { readonly kind: string; readonly reason?: { readonly code: string } },
): Refusal {
  return refused(503, `${what}: ${observed.reason?.code ?? observed.kind}`)
}

function refused(status: Refusal['status'], why: string): Refusal {
  return { kind: 'refused', status, why }
}
