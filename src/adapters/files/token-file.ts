import { createHash, timingSafeEqual } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { readSmallFile } from './read-small-file.ts'
import type { BearerToken } from '#/ports/bearer-token.ts'

const LARGEST_BYTES = 4096
const LEAST_CHARACTERS = 24

type Content = { readonly digest: Buffer } | { readonly fault: string }

/** A token in a file. Who changes the file changes the token, and who removes it lets nobody in. */
export function openTokenFile(path: string): BearerToken {
  let known: { readonly mark: string; readonly content: Content } | null = null
  const current = async (): Promise<Content> => {
    const mark = await fileVersion(path)
    if (known === null || mark === null || known.mark !== mark) {
      known = { mark: mark ?? '', content: await readToken(path) }
    }
    return known.content
  }
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
