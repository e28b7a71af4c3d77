import { createHash } from 'node:crypto'
import { DISPATCH_AUDIENCE } from '#/core/pools/own-pod.ts'
import type { Clock } from '#/ports/clock.ts'
import type { Kubernetes } from '#/ports/kubernetes.ts'
import type { OwnPods } from '#/ports/pools.ts'
import { readClaimedPod } from './claimed-pod.ts'

/** Whose token it is, as the API server confirms it. */
export type Reviewed =
  | { readonly kind: 'of-pod'; readonly pod: BoundPod }
  | { readonly kind: 'invalid'; readonly why: string }
  /** Too many reviews are under way. */
  | { readonly kind: 'busy' }
  /** Nobody could say. */
  | { readonly kind: 'blind'; readonly why: string }

export type BoundPod = { readonly uid: string; readonly name: string; readonly namespace: string }

export type TokenReviews = {
  /** `forMs`: how long the caller relies on it. An older confirmation that would expire meanwhile is made again. */
  readonly review: (token: string | null, forMs?: number) => Promise<Reviewed>
}

export type TokenReviewMeans = {
  readonly kubernetes: Pick<Kubernetes, 'reviewToken'>
  readonly ownPods: Pick<OwnPods, 'onGone' | 'byUid'>
  readonly clock: Clock
}

/** A revoked token is accepted for at most this long. */
const REMEMBERED_MS = 60_000
const REFUSED_MS = 5_000
const MOST_REMEMBERED = 20_000
const MOST_REFUSED = 2_000
/** Once for tokens that say they are of a pod of ours, and once for all others: what anybody makes up keeps no pod waiting. */
const MOST_AT_ONCE = 64
/** A pod has one token, and a new one before that expires. */
const MOST_OF_POD = 2
const REVIEW_MS = 10_000
const LONGEST_TOKEN = 8192

/** `says`: the pod of ours that the token says it is of; null where it says none. */
type UnderWay = { readonly asking: Promise<Reviewed>; readonly says: string | null }
type Remembered = { readonly pod: BoundPod; readonly until: number }

/**
 * Who asks for a job. Nothing in the token is trusted: the API server says whose it is, that it was made for us, and that
 * its pod exists. Tokens are kept as digests only.
 */
export function createTokenReviews({ kubernetes, ownPods, clock }: TokenReviewMeans): TokenReviews {
  const accepted = new Map<string, Remembered>()
  const keysOfPod = new Map<string, Set<string>>()
  const refused = new Map<string, { readonly why: string; readonly until: number }>()
  const underWay = new Map<string, UnderWay>()
  const forget = (key: string): void => {
    const known = accepted.get(key)
    if (known === undefined) return
    accepted.delete(key)
    const keys = keysOfPod.get(known.pod.uid)
    keys?.delete(key)
    if (keys?.size === 0) keysOfPod.delete(known.pod.uid)
  }
  ownPods.onGone((uid) => {
    for (const key of keysOfPod.get(uid) ?? []) forget(key)
  })
  const remember = (key: string, reviewed: Reviewed, askedAt: number): void => {
    forget(key)
    if (reviewed.kind === 'invalid') {
      refused.set(key, { why: reviewed.why, until: clock.now() + REFUSED_MS })
      dropOldest(refused, MOST_REFUSED, (oldest) => refused.delete(oldest))
    }
    if (reviewed.kind !== 'of-pod') return
    // From the question on: the answer is as old as that.
    accepted.set(key, { pod: reviewed.pod, until: askedAt + REMEMBERED_MS })
    const keys = keysOfPod.get(reviewed.pod.uid) ?? new Set()
    keysOfPod.set(reviewed.pod.uid, keys.add(key))
    dropOldest(accepted, MOST_REMEMBERED, forget)
  }
  const ask = async (key: string, token: string): Promise<Reviewed> => {
    const askedAt = clock.now()
    try {
      const reviewed = await reviewAt(kubernetes, token)
      remember(key, reviewed, askedAt)
      return reviewed
    } finally {
      underWay.delete(key)
    }
  }
  return {
    review: async (token, forMs = 0) => {
      if (token === null || token === '') return invalid('a bearer token is required')
      if (token.length > LONGEST_TOKEN) return invalid('the token is too long')
      const key = createHash('sha256').update(token).digest('base64')
      const now = clock.now()
      const known = accepted.get(key)
      if (known !== undefined && holds(known, now, REMEMBERED_MS) && now + forMs < known.until)
        return { kind: 'of-pod', pod: known.pod }
      const no = refused.get(key)
      if (no !== undefined && holds(no, now, REFUSED_MS)) return invalid(no.why)
      const running = underWay.get(key)
      if (running !== undefined) return await running.asking
      const says = findSaid(ownPods, token)
      if (!hasRoom([...underWay.values()], says)) return { kind: 'busy' }
      const asking = ask(key, token)
      underWay.set(key, { asking, says })
      return await asking
    },
  }
}

function findSaid(ownPods: Pick<OwnPods, 'byUid'>, token: string): string | null {
  const uid = readClaimedPod(token)
  return uid !== null && ownPods.byUid(uid).kind !== 'none' ? uid : null
}

function hasRoom(underWay: readonly UnderWay[], says: string | null): boolean {
  const alike = underWay.filter((one) => (one.says === null) === (says === null))
  if (alike.length >= MOST_AT_ONCE) return false
  return says === null || alike.filter((one) => one.says === says).length < MOST_OF_POD
}

/** What holds for longer than it ever may was remembered before the clock was set back. */
function holds({ until }: { readonly until: number }, now: number, mostMs: number): boolean {
  return now < until && until - now <= mostMs
}

async function reviewAt(kubernetes: TokenReviewMeans['kubernetes'], token: string): Promise<Reviewed> {
  const request = { token, audience: DISPATCH_AUDIENCE }
  const answer = await kubernetes.reviewToken(request, AbortSignal.timeout(REVIEW_MS))
  if (answer.kind === 'none') return { kind: 'blind', why: 'the API server has no token reviews' }
  if (answer.kind === 'blind') return { kind: 'blind', why: `the token could not be reviewed: ${answer.reason.code}` }
  const verdict = answer.value
  if (verdict.kind === 'invalid') return invalid('the API server does not accept the token')
  const namespace = /^system:serviceaccount:([^:]+):[^:]+$/u.exec(verdict.username)?.[1]
  if (namespace === undefined) return invalid('the token is not that of a service account')
  if (verdict.pod === null) return invalid('the token is bound to no pod')
  return { kind: 'of-pod', pod: { ...verdict.pod, namespace } }
}

function invalid(why: string): Reviewed {
  return { kind: 'invalid', why }
}

function dropOldest<T>(remembered: ReadonlyMap<string, T>, most: number, drop: (key: string) => void): void {
  const [oldest] = remembered.keys()
  if (remembered.size > most && oldest !== undefined) drop(oldest)
}
