/** Why GitHub refuses a credential, and what to do. */
export type Refusal = { readonly matches: RegExp; readonly why: string; readonly next: string }

/** Strings of which a line with a refusal has at least one. */
export const REFUSAL_MENTIONS: readonly string[] = [
  'Bad credentials',
  'Requires authentication',
  'Must authenticate',
  '401 Unauthorized',
  'StatusCode 401',
  'status code: 401',
  '"status":"401"',
  'has been suspended',
  'JSON web token',
  "claim ('",
  'Integration not found',
  '/access_tokens',
  'GitHub App auth',
  'token has expired',
  'token expired',
  'token is expired',
  'SAML enforcement',
  'Resource not accessible by',
]

/**
 * A 401 of another server (the API server, a registry) and the token of a message queue, which expires in every healthy
 * listener, are no refusals by GitHub's API.
 */
const OF_GITHUB =
  /registration[- ]token|access[ _]tokens?\b|api\.github\.com|\/api\/v3\/|github api error|GitHub App auth|docs\.github\.com|Bad credentials/i
const OF_ANOTHER = /message queue token|rate limit/i

/** The first that matches: special ones before a plain 401. */
const REFUSALS: readonly Refusal[] = [
  {
    matches: /installation has been suspended/i,
    why: 'the installation of the GitHub App is suspended',
    next: "an owner of the organisation ends the suspension in its settings, under GitHub Apps; ask first who suspended it, and don't replace the key: the new one is refused too",
  },
  {
    matches: /JSON web token could not be decoded|'(?:Expiration time|Issued at|Issuer)' claim/i,
    why: "GitHub does not accept what the App's private key signed: the key was deleted or belongs to another App, the App id is wrong, or a clock is off",
    next: 'compare github_app_id and the key with the settings of the App; where they agree, check that the nodes synchronise their clocks',
  },
  {
    matches: /Integration not found|\/access_tokens\b.{0,200}\b404\b|GitHub App auth \(404/i,
    why: 'GitHub has no such App or installation: it was deleted, uninstalled or transferred',
    next: 'install the App again and put its new github_app_installation_id into the Secret',
  },
  {
    matches: /SAML enforcement/i,
    why: "the token is not authorised for the organisation's single sign-on",
    next: 'its owner authorises the token for the organisation (settings, tokens, configure SSO), or replace it with a GitHub App',
  },
  {
    matches: /Resource not accessible by (?:integration|personal access token)/i,
    why: 'it lacks a permission that runners need',
    next: 'grant organisation self-hosted runners read and write (for sets of a repository: administration read and write) and accept the change in the installation',
  },
  {
    matches: /\btoken (?:has |is )?expired\b/i,
    why: 'it has expired',
    next: 'make a new one, or better a GitHub App, whose key does not expire; then change the Secret',
  },
  {
    matches: /Bad credentials|Requires authentication|Must authenticate|\b401\b/i,
    why: 'GitHub answers 401: it expired, was revoked, or is no credential of this GitHub',
    next: 'make a new one, or better a GitHub App, whose key does not expire; then change the Secret',
  },
]

export function findRefusal(line: string): Refusal | null {
  if (!OF_GITHUB.test(line) || OF_ANOTHER.test(line)) return null
  return REFUSALS.find(({ matches }) => matches.test(line)) ?? null
}
