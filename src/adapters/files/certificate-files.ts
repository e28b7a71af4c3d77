import { createSecureContext } from 'node:tls'

import type { CertificatePair, CertificateSource } from '#/ports/certificate.ts'
import { readSmallFile } from './read-small-file.ts'

export type CertificateFiles = {
  readonly certFile: string
  readonly keyFile: string
  /** How often the files are looked at; rotation takes minutes at best, so seconds are often enough. */
  readonly everyMs?: number
}

const LARGEST_BYTES = 1024 * 1024
const EVERY_MS = 10_000

export function certificateFiles(files: CertificateFiles): CertificateSource {
  return { read: () => readPair(files), follow: (first, onNewPair) => followPair(files, first, onNewPair) }
}

async function readPair({ certFile, keyFile }: CertificateFiles): Promise<CertificatePair | string> {
  const [cert, key] = await Promise.all([readSmallFile(certFile, LARGEST_BYTES), readSmallFile(keyFile, LARGEST_BYTES)])
  if (cert.kind !== 'read') return `the certificate ${certFile} ${whyNot(cert)}`
  if (key.kind !== 'read') return `the key ${keyFile} ${whyNot(key)}`
  // A file that is written anew is empty for a moment, and TLS takes that for "none was given".
  if (cert.text === '') return `the certificate ${certFile} is empty`
  if (key.text === '') return `the key ${keyFile} is empty`
  const pair = { cert: cert.text, key: key.text }
  try {
    createSecureContext(pair)
    return pair
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    return `${certFile} and ${keyFile} are not a certificate and its key (${code})`
  }
}

function whyNot(read: { readonly kind: 'absent' } | { readonly kind: 'unreadable'; readonly why: string }): string {
  return read.kind === 'absent' ? 'is not there' : read.why
}

/** A pair that does not match is a rotation halfway through: the old one stays in use. */
function followPair(
  files: CertificateFiles,
  first: CertificatePair,
  onNewPair: (pair: CertificatePair) => void,
): () => void {
  let current = first
  const check = async (): Promise<void> => {
    const pair = await readPair(files)
    if (typeof pair === 'string' || (pair.cert === current.cert && pair.key === current.key)) return
    current = pair
    onNewPair(pair)
  }
  const timer = setInterval(() => void check(), files.everyMs ?? EVERY_MS)
  timer.unref()
  return () => clearInterval(timer)
}
