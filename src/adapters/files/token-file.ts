import { createHash, timingSafeEqual } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { readSmallFile } from './read-small-file.ts'
import { parseTokensFile } from '#/core/access/tokens-file.ts'
import type { BearerToken } from '#/ports/bearer-token.ts'
import type { TokenSource } from '#/ports/token-source.ts'

const LARGEST_BYTES = 4096
const LARGEST_LIST_BYTES = 131_072
const LEAST_CHARACTERS = 24

type Content = { readonly digest: Buffer } | { readonly fault: string }

/** A token in a file. Who changes the file changes the token, and who removes it lets nobody in. */
export function openTokenFile(path: string): BearerToken {
  const current = followFile(path, readToken)
  return {
    judge: async (given) => {
      const content = await current()
      if ('fault' in content) return 'unusable'
      // Digests have equal length, so that timing reveals nothing about the token.
      return timingSafeEqual(digest(given), content.digest) ? 'right' : 'wrong'
    },
    fault: async () => {
      const content = await current()
      return 'fault' in content ? content.fault : null
    },
  }
}

/** One token that may do everything, as a file of `api.tokenFile` holds it. */
export function singleTokenSource(setting: string, path: string): TokenSource {
  const read = followFile(path, async () => {
    const content = await readToken(path)
    if ('fault' in content) return content
    const standing = { expiresAt: null, revokedAt: null }
    return {
      tokens: [{ name: setting, role: 'operate' as const, digest: content.digest.toString('hex'), ...standing }],
    }
  })
  return { setting, read }
}

/** The digests of several tokens, each with its role and expiry. */
export function tokensFileSource(setting: string, path: string): TokenSource {
  const read = followFile(path, async () => {
    const file = await readSmallFile(path, LARGEST_LIST_BYTES)
    if (file.kind !== 'read') return { fault: `${path} ${file.kind === 'absent' ? 'does not exist' : file.why}` }
    const parsed = parseTokensFile(file.text)
    if ('fault' in parsed) return { fault: `${path}: ${parsed.fault}` }
    return { tokens: parsed.tokens.map((token) => Object.assign({ revokedAt: null }, token)) }
  })
  return { setting, read }
}

/** Reads the file again when it has changed. */
function followFile<T>(path: string, read: (path: string) => Promise<T>): () => Promise<T> {
  let known: { readonly mark: string; readonly content: T } | null = null
  return async () => {
    const mark = await fileVersion(path)
    if (known === null || mark === null || known.mark !== mark) {
      known = { mark: mark ?? '', content: await read(path) }
    }
    return known.content
  }
}

/** The token in the file, for one who shows it; a text in `fault` says why there is none. */
export async function tokenIn(path: string): Promise<{ readonly token: string } | { readonly fault: string }> {
  const read = await readSmallFile(path, LARGEST_BYTES)
  if (read.kind !== 'read') {
    return { fault: `${path} ${read.kind === 'absent' ? 'does not exist' : read.why}` }
  }
  const token = read.text.trim()
  if (token.length < LEAST_CHARACTERS) {
    return { fault: `the token in ${path} is shorter than ${LEAST_CHARACTERS} characters` }
  }
  if (!/^[\x21-\x7e]+$/.test(token)) {
    return { fault: `the token in ${path} must be one word of ASCII characters` }
  }
  return { token }
}

async function readToken(path: string): Promise<Content> {
  const read = await tokenIn(path)
  return 'fault' in read ? read : { digest: digest(read.token) }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/** A Secret that Kubernetes mounts is replaced by a link to another folder: then the inode is another one. */
async function fileVersion(path: string): Promise<string | null> {
  const found = await stat(path, { bigint: true }).catch(() => null)
  return found === null ? null : `${found.dev} ${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`
}
