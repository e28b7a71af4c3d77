import { createHash } from 'node:crypto'
import { textAt } from '#/core/basics/fields.ts'
import type { BearerToken } from '#/ports/bearer-token.ts'
import type { Clock } from '#/ports/clock.ts'
import type { Kubernetes } from '#/ports/kubernetes.ts'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'
import { AUDIENCE } from '#/protocol/version.ts'

/** Who an agent is, as the API server confirms it. */
export type Identity =
  | { readonly kind: 'of-node'; readonly node: string }
  /** It has the shared secret: its own node name is trusted. */
  | { readonly kind: 'any-node' }
  | Refusal
export type Refusal = { readonly kind: 'refused'; readonly status: 401 | 403 | 503; readonly why: string }

export type AuthenticateOptions = {
  /** Null without a cluster: then only the shared secret is accepted. */
  readonly kubernetes: Pick<Kubernetes, 'reviewToken' | 'get'> | null
  /** `namespace/name` of the agents; null if it is not configured and cannot be derived from our own pod. */
  readonly serviceAccount: string | null
  /** For use outside a cluster: an agent that knows it may name any node. */
  readonly secret: BearerToken | null
  readonly clock: Clock
}

/** After too many wrong tokens from an address, only agents admitted before are checked: wrong guesses must not lock them out. */
export type Authenticate = (token: string | null, isCrowd?: boolean) => Promise<Identity>

/** A revoked token is accepted for at most this long. */
const REMEMBERED_MS = 60_000
const REFUSED_MS = 5_000
const MOST_REMEMBERED = 5000
const MOST_ASKED = 16
const REVIEW_MS = 10_000
const LONGEST_TOKEN = 8192

/** The token's claims are not trusted: the API server says whose it is, and on which node that pod runs. */
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
      const identity = await readIdentity(options, token)
      remember(key, identity)
      return identity
    } finally {
      asked.delete(key)
    }
  }
  return async (token, isCrowd = false) => {
    if (!isToken(token)) return refused(401, 'a bearer token is required')
    if ((await options.secret?.judge(token)) === 'right') return { kind: 'any-node' }
    const key = createHash('sha256').update(token).digest('base64')
    const known = remembered.get(key)
    if (known !== undefined && known.until > options.clock.now()) return known.identity
    if (isCrowd && !letIn.has(key)) return refused(401, 'too many wrong tokens from this address')
    const running = asked.get(key)
    if (running !== undefined) return running
    if (asked.size >= MOST_ASKED) return refused(503, 'too many token checks at once; retry')
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

async function readIdentity(options: AuthenticateOptions, token: string): Promise<Identity> {
  const { kubernetes, serviceAccount } = options
  if (kubernetes === null) return refused(403, 'this server has no cluster to review the token')
  if (serviceAccount === null)
    return refused(403, "the agents' service account is not configured (agent.serviceAccount)")
  const signal = AbortSignal.timeout(REVIEW_MS)
  const review = await kubernetes.reviewToken({ token, audience: AUDIENCE }, signal)
  if (review.kind !== 'seen') return unchecked('cannot review the token', review)
  const verdict = review.value
  if (verdict.kind === 'invalid') return refused(401, 'the API server rejects the token')
  const [namespace = '', name = ''] = serviceAccount.split('/')
  if (verdict.username !== `system:serviceaccount:${namespace}:${name}`) {
    return refused(403, `the token does not belong to the service account ${serviceAccount}`)
  }
  if (verdict.pod === null) return refused(403, 'the token is not bound to a pod')
  return readNode(kubernetes, { namespace, ...verdict.pod }, signal)
}

type BoundPod = { readonly namespace: string; readonly name: string; readonly uid: string }

async function readNode(
  kubernetes: Pick<Kubernetes, 'get'>,
  { namespace, name, uid }: BoundPod,
  signal: AbortSignal,
): Promise<Identity> {
  const pod = await kubernetes.get({ resource: RESOURCES.pods, namespace, name }, signal)
  if (pod.kind === 'blind') return unchecked("cannot read the token's pod", pod)
  const node = pod.kind === 'seen' ? textAt(pod.value, 'spec', 'nodeName') : null
  if (pod.kind === 'none' || pod.value.metadata.uid !== uid || node === null) {
    return refused(403, "the token's pod is not running")
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
