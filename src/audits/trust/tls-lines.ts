import { quote } from '#/core/fleet/container-logs.ts'
import type { BuildLog } from '#/core/fleet/build-logs.ts'

const UNTRUSTED = [
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'unable to get local issuer certificate',
  'self-signed certificate in certificate chain',
  'self signed certificate in certificate chain',
  'x509: certificate signed by unknown authority',
] as const

/** Node, curl and Nix, git, Python. */
const UNREADABLE = [
  'Ignoring extra certs from',
  'error setting certificate',
  'Problem with the SSL CA cert',
  'Could not find a suitable TLS CA certificate bundle',
] as const

export const TLS_MENTIONS: readonly string[] = [...UNTRUSTED, ...UNREADABLE]

/** The containers in which builds run; `job` is the one of ARC's hooks. */
const BUILDING: ReadonlySet<string> = new Set(['runner', 'job'])

/** The certificate errors in a build log. */
export type TlsComplaint = {
  readonly log: BuildLog
  /** A line about a certificate from an unknown authority. */
  readonly untrusted: string | null
  /** A line about a CA bundle that cannot be read. */
  readonly unreadable: string | null
  /** False for Docker in its own container: it has its own certificates. */
  readonly isFromBuild: boolean
}

export function tlsComplaint(log: BuildLog): TlsComplaint | null {
  const last = (mentions: readonly string[]): string | null =>
    log.lines.findLast(({ text }) => mentions.some((mention) => text.includes(mention)))?.text ?? null
  const [untrusted, unreadable] = [last(UNTRUSTED), last(UNREADABLE)]
  if (untrusted === null && unreadable === null) return null
  return { log, untrusted, unreadable, isFromBuild: log.container === null || BUILDING.has(log.container) }
}

export function quoted({ source }: BuildLog, line: string): string {
  return `${source}: ${quote(line)}`
}
