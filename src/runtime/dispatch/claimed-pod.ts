import { textAt } from '#/core/basics/fields.ts'

/**
 * The UID of the pod that a token says it is bound to; null where it says nothing. Nobody has checked the token: good for
 * sharing out the reviews of tokens, and for nothing else.
 */
export function readClaimedPod(token: string): string | null {
  const [, payload = ''] = token.split('.')
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'))
    return textAt(claims, 'kubernetes.io', 'pod', 'uid')
  } catch {
    return null
  }
}
