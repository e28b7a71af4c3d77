export const REDACTION_KINDS = [
  'url-credential',
  'jit-config',
  'github-token',
  'gitlab-token',
  'jwt',
  'authorization',
  'aws-key',
  'private-key',
  'signature',
  'env',
  'credential',
  'job-message',
  'base64',
  'last-applied-configuration',
  'overlong-line',
  'too-deep',
] as const
export type RedactionKind = (typeof REDACTION_KINDS)[number]

/** JSON stays JSON: no quote, no backslash. */
export function mark(kind: RedactionKind): string {
  return `‹redacted:${kind}›`
}
