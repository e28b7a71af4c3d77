import { createHash, createPublicKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { bitString, encode, explicit, implicit, integer, objectId, sequence, TAG, time } from './der.ts'
import { addressBytes } from './address-bytes.ts'

/** PEM texts. */
export type CertificateAndKey = { readonly cert: string; readonly key: string }

export type Validity = { readonly from: number; readonly to: number }

/** A CA that signs the certificates of one server, and no further CAs. */
export function makeAuthority(name: string, validity: Validity): CertificateAndKey {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const subject = { name, key: createPublicKey(privateKey) }
  const extensions = [
    extension('2.5.29.19', sequence(TRUE, integer(Buffer.from([0]))), { isCritical: true }),
    // Signs certificates and revocation lists.
    extension('2.5.29.15', bitString(Buffer.from([0b0000_0110]), 1), { isCritical: true }),
    extension('2.5.29.14', encode(TAG.octetString, keyId(subject.key))),
  ]
  return issue({ subject, extensions, validity }, { name, privateKey })
}

/** A server's certificate for DNS names and IP addresses. */
export function makeServerCertificate(
  names: readonly string[],
  validity: Validity,
  authority: { readonly name: string; readonly privateKey: KeyObject },
): CertificateAndKey {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const subject = { name: names[0] ?? '', key: createPublicKey(privateKey) }
  const extensions = [
    extension('2.5.29.19', sequence(), { isCritical: true }),
    // Signs handshakes.
    extension('2.5.29.15', bitString(Buffer.from([0b1000_0000]), 7), { isCritical: true }),
    extension('2.5.29.37', sequence(objectId('1.3.6.1.5.5.7.3.1'))),
    extension('2.5.29.17', sequence(...names.map(generalName))),
    extension('2.5.29.14', encode(TAG.octetString, keyId(subject.key))),
    extension('2.5.29.35', sequence(implicit(0, keyId(createPublicKey(authority.privateKey))))),
  ]
  return { ...issue({ subject, extensions, validity }, authority), key: printKey(privateKey) }
}

type Request = {
  readonly subject: { readonly name: string; readonly key: KeyObject }
  readonly extensions: readonly Buffer[]
  readonly validity: Validity
}
type Issuer = { readonly name: string; readonly privateKey: KeyObject }

const ECDSA_WITH_SHA256 = sequence(objectId('1.2.840.10045.4.3.2'))
const VERSION_3 = explicit(0, integer(Buffer.from([2])))
const TRUE = encode(TAG.boolean, Buffer.from([0xff]))

function issue({ subject, extensions, validity }: Request, issuer: Issuer): CertificateAndKey {
  const signed = sequence(
    VERSION_3,
    integer(serialNumber()),
    ECDSA_WITH_SHA256,
    commonName(issuer.name),
    sequence(time(validity.from), time(validity.to)),
    commonName(subject.name),
    subject.key.export({ type: 'spki', format: 'der' }),
    explicit(3, sequence(...extensions)),
  )
  const signature = sign('sha256', signed, issuer.privateKey)
  const certificate = sequence(signed, ECDSA_WITH_SHA256, bitString(signature))
  return { cert: printCertificate(certificate), key: printKey(issuer.privateKey) }
}

/** Positive, and of the length that CAs use. */
function serialNumber(): Buffer {
  const bytes = randomBytes(16)
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40
  return bytes
}

const MOST_NAME_CHARACTERS = 64

function commonName(name: string): Buffer {
  const text = encode(TAG.utf8, Buffer.from(name.slice(0, MOST_NAME_CHARACTERS)))
  return sequence(encode(TAG.set, sequence(objectId('2.5.4.3'), text)))
}

function extension(id: string, value: Buffer, { isCritical = false } = {}): Buffer {
  return sequence(objectId(id), ...(isCritical ? [TRUE] : []), encode(TAG.octetString, value))
}

function generalName(name: string): Buffer {
  const address = addressBytes(name)
  return address === null ? implicit(2, Buffer.from(name, 'ascii')) : implicit(7, address)
}

function keyId(key: KeyObject): Buffer {
  return createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest()
    .subarray(0, 20)
}

function printKey(key: KeyObject): string {
  return String(key.export({ type: 'pkcs8', format: 'pem' }))
}

function printCertificate(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n')
}
