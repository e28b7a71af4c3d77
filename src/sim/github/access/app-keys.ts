import { createSign, generateKeyPairSync } from 'node:crypto'

export type AppKeys = { readonly publicKeyPem: string; readonly privateKeyPem: string }

/** What an App's owner does on GitHub's page once: a key pair of which GitHub keeps the public half. */
export function newAppKeys(): AppKeys {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2_048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  return { publicKeyPem: publicKey, privateKeyPem: privateKey }
}

/** The App's side of the handshake, for callers that test the simulated GitHub itself. */
export function appJwt(privateKeyPem: string, claims: Readonly<Record<string, unknown>>): string {
  const encoded = [{ alg: 'RS256', typ: 'JWT' }, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  )
  const signed = encoded.join('.')
  return `${signed}.${createSign('sha256').update(signed).sign(privateKeyPem, 'base64url')}`
}
