import type { Fields } from '#/core/basics/fields.ts'
import { at, toFields, textAt } from '#/core/basics/fields.ts'

export const APP_KEYS = ['github_app_id', 'github_app_installation_id', 'github_app_private_key'] as const
const PAT_KEY = 'github_token'

export type CredentialKind =
  | { readonly kind: 'app' }
  | { readonly kind: 'pat' }
  | { readonly kind: 'both' }
  /** Neither a token nor all keys that an App needs. */
  | { readonly kind: 'incomplete'; readonly missing: readonly string[] }

const EMPTY_DIGEST = 'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
const EMPTY_VALUES: ReadonlySet<string | null> = new Set([null, EMPTY_DIGEST, btoa(EMPTY_DIGEST)])

/** ARC treats an empty key as missing; `collect` writes the digest of the empty string for it. */
function isEmpty(value: string | null): boolean {
  return EMPTY_VALUES.has(value)
}

/** Uses only the key names: `collect` writes digests in place of values. */
export function credentialKind(secret: Fields): CredentialKind {
  const data = { ...toFields(at(secret, 'data')), ...toFields(at(secret, 'stringData')) }
  const has = (key: string): boolean => !isEmpty(textAt(data, key))
  const missing = APP_KEYS.filter((key) => !has(key))
  const isPat = has(PAT_KEY)
  if (isPat) return missing.length === APP_KEYS.length ? { kind: 'pat' } : { kind: 'both' }
  return missing.length === 0 ? { kind: 'app' } : { kind: 'incomplete', missing }
}
