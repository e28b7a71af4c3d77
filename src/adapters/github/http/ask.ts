import type { BlindCode } from '#/core/basics/observed.ts'
import type { BlindOutcome, Forbidden, RateLimited } from '#/ports/github.ts'

/** Whose rights a request uses: the App itself, or what was granted for an owner's account. */
export type Audience = { readonly kind: 'app' } | { readonly kind: 'owner'; readonly owner: string }

/** One question or order to GitHub's REST API. */
export type Ask = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Encoded one by one; an empty one, `.` or `..` is refused, so that a name from outside cannot choose another path. */
  readonly path: readonly (string | number)[]
  readonly query?: Readonly<Record<string, string | number>>
  readonly body?: unknown
  readonly as: Audience
  /** Whether a second try after an answer that was lost can do harm. */
  readonly again: 'harmless' | 'harmful'
  /** The budget that GitHub charges; `core` by default. */
  readonly resource?: string
  /** Redirects within GitHub's host are followed; `returned`: but a 302, by which GitHub links to a file, is returned to the caller. */
  readonly redirects?: 'returned'
  readonly signal?: AbortSignal | undefined
}

export type Answered = {
  readonly kind: 'ok'
  readonly status: number
  /** Null where the answer has no body. */
  readonly json: unknown
  readonly link: string | null
  /** The scopes of a classic token, as GitHub reports them. */
  readonly scopes: string | null
  readonly credential: string
}

export type Unsuccessful =
  | { readonly kind: 'absent'; readonly detail: string }
  | { readonly kind: 'gone'; readonly detail: string }
  | { readonly kind: 'refused'; readonly status: number; readonly detail: string }
  | Forbidden
  | RateLimited
  | BlindOutcome

export type Answer = Answered | Unsuccessful

/** GitHub sends us on to a store of files, where our token must not go. */
export type Redirected = { readonly kind: 'redirected'; readonly to: URL }

export function blindOutcome(code: BlindCode, detail: string): BlindOutcome {
  return { kind: 'blind', reason: { code, detail } }
}
