import { createPrivateKey, sign } from 'node:crypto'

export type AppJwt = { readonly token: string; readonly expiresAt: number }

/** GitHub refuses an `iat` in its future; a minute covers the drift of an ordinary machine. */
const BACKDATED_S = 60
/** GitHub allows ten minutes from its own now. */
const VALID_S = 9 * 60

/**
 * The App's own proof of identity (RS256). Made here and not by @octokit/auth-app, whose tokens are dated by the
 * machine's clock and not by ours. Throws for a key that is none.
 */
export function signAppJwt(appId: string, privateKeyPem: string, now: number): AppJwt {
  const nowS = Math.floor(now / 1000)
  const head = encode({ alg: 'RS256', typ: 'JWT' })
  const claims = encode({ iat: nowS - BACKDATED_S, exp: nowS + VALID_S, iss: appId })
  const signature = sign('RSA-SHA256', Buffer.from(`${head}.${claims}`), createPrivateKey(privateKeyPem))
  return { token: `${head}.${claims}.${signature.toString('base64url')}`, expiresAt: (nowS + VALID_S) * 1000 }
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
