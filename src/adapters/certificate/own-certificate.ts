import { createPrivateKey, X509Certificate } from 'node:crypto'
import { mkdir, open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { readSmallFile } from '#/adapters/files/read-small-file.ts'
import { AUTHORITY_DAYS, decideRenewal, SERVER_DAYS, validFor } from '#/core/certificate/renewal.ts'
import type { Held, HeldPair, Renewal } from '#/core/certificate/renewal.ts'
import { addressBytes } from './address-bytes.ts'
import { makeAuthority, makeServerCertificate } from './make-certificate.ts'
import type { CertificateAndKey } from './make-certificate.ts'
import { ownFiles } from '#/core/certificate/own-files.ts'
import type { OwnFiles } from '#/core/certificate/own-files.ts'

export type OwnCertificate = {
  readonly made: Renewal
  /** The authority, and earlier ones that are still valid. */
  readonly authorities: string
}

/** Makes the certificate of a server and its CA where they are missing or near their end, and keeps them in the folder. */
export async function keepOwnCertificate(
  folder: string,
  names: readonly string[],
  now: number,
): Promise<OwnCertificate> {
  const files = ownFiles(folder)
  const [authorities = '', caKey = '', cert = '', key = ''] = await Promise.all(
    [files.caFile, files.caKeyFile, files.certFile, files.keyFile].map(readText),
  )
  const held = describePairs({ authority: { cert: authorities, key: caKey }, server: { cert, key } })
  const made = decideRenewal(held, names.map(comparable), now)
  switch (made) {
    case 'none':
      return { made, authorities }
    case 'server':
      await writeServer(files, { authority: { cert: authorities, key: caKey }, names, now })
      return { made, authorities }
    case 'authority':
      return { made, authorities: await replace(files, { earlier: authorities, names, now }) }
  }
}

type Wanted = { readonly earlier: string; readonly names: readonly string[]; readonly now: number }

/** The earlier authorities stay trusted until their end, because not everybody learns of the new one at once. */
async function replace(files: OwnFiles, { earlier, names, now }: Wanted): Promise<string> {
  const authority = makeAuthority(`signalbox CA ${new Date(now).toISOString()}`, validFor(AUTHORITY_DAYS, now))
  const valid = certificatesIn(earlier).filter((one) => Date.parse(one.validTo) > now)
  const authorities = [authority.cert, ...valid.map(String)].join('')
  await mkdir(dirname(files.caFile), { recursive: true, mode: 0o700 })
  await write(files.caKeyFile, authority.key, 0o600)
  await write(files.caFile, authorities, 0o644)
  await writeServer(files, { authority, names, now })
  return authorities
}

type Signing = { readonly authority: CertificateAndKey; readonly names: readonly string[]; readonly now: number }

async function writeServer({ keyFile, certFile }: OwnFiles, { authority, names, now }: Signing): Promise<void> {
  const name = /^CN=(.*)$/m.exec(certificatesIn(authority.cert)[0]?.subject ?? '')?.[1] ?? ''
  const issuer = { name, privateKey: createPrivateKey(authority.key) }
  const { cert, key } = makeServerCertificate(names, validFor(SERVER_DAYS, now), issuer)
  await write(keyFile, key, 0o600)
  await write(certFile, cert, 0o644)
}

/** Whole or not at all, and on the disk before it is used. */
async function write(file: string, text: string, mode: number): Promise<void> {
  const partial = `${file}.partial`
  await using handle = await open(partial, 'w', mode)
  await handle.writeFile(text)
  await handle.sync()
  await rename(partial, file)
}

const LARGEST_BYTES = 256 * 1024

async function readText(file: string): Promise<string> {
  const read = await readSmallFile(file, LARGEST_BYTES)
  return read.kind === 'read' ? read.text : ''
}

function describePairs({ authority, server }: Readonly<Record<'authority' | 'server', CertificateAndKey>>): HeldPair {
  const [issuer] = certificatesIn(authority.cert)
  const [own] = certificatesIn(server.cert)
  return {
    authority: issuer === undefined ? null : describe(issuer, authority.key),
    server:
      own === undefined
        ? null
        : {
            ...describe(own, server.key),
            isIssued: issuer !== undefined && own.checkIssued(issuer) && own.verify(issuer.publicKey),
            names: namesIn(own),
          },
  }
}

function describe(certificate: X509Certificate, key: string): Held {
  const { validFrom, validTo } = certificate
  return { isUsable: isOwner(certificate, key), from: Date.parse(validFrom), to: Date.parse(validTo) }
}

function isOwner(certificate: X509Certificate, key: string): boolean {
  try {
    return certificate.checkPrivateKey(createPrivateKey(key))
  } catch {
    return false
  }
}

function certificatesIn(text: string): readonly X509Certificate[] {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  return blocks.flatMap((block) => {
    try {
      return [new X509Certificate(block)]
    } catch {
      return []
    }
  })
}

function namesIn({ subjectAltName }: X509Certificate): readonly string[] {
  return (subjectAltName ?? '').split(', ').map((name) => comparable(name.replace(/^(?:DNS|IP Address):/, '')))
}

/** An IPv6 address has several forms. */
function comparable(name: string): string {
  return addressBytes(name)?.toString('hex') ?? name.toLowerCase()
}
