/** Thrown inside the adapter for what makes a whole bundle unusable; whoever opens or writes one turns it into an outcome. */
export class BundleRefusal extends Error {
  readonly code = 'BUNDLE_REFUSED'
}

/** Why the world did not let us, in a line; null where it is a fault of ours. */
export function whyRefused(error: unknown, signal: AbortSignal): string | null {
  if (signal.aborted) return 'it was stopped'
  if (error instanceof BundleRefusal) return error.message
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return null
  if (error.code === 'Z_BUF_ERROR') return 'the archive is cut: it ends in the middle'
  if (error.code.startsWith('Z_')) return `the archive is damaged or not gzip: ${error.message}`
  return 'syscall' in error ? (SYSTEM_ERRORS[error.code] ?? error.code) : null
}

const SYSTEM_ERRORS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
  ENOSPC: 'there is no space left',
  ELOOP: 'it is a link',
  ENOTDIR: 'a part of the path is no folder',
  ENOTEMPTY: 'the folder exists and is not empty',
  EEXIST: 'it exists already',
  EISDIR: 'it is a folder',
}
