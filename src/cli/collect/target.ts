import { readdir, rename, rm, stat } from 'node:fs/promises'
import { randomBytes } from 'node:crypto'

/** What is at a path before a bundle is written there. */
export type Occupant = 'nothing' | 'file' | 'empty-folder' | 'bundle-folder' | 'other-folder'

export type Target =
  | { readonly kind: 'archive' | 'folder'; readonly path: string }
  | { readonly kind: 'wrong'; readonly why: string; readonly next: string }

/** Where a bundle may be written. Only an existing bundle is ever replaced. */
export function decideTarget(given: string, occupant: Occupant, isForced: boolean): Target {
  const path = given.replace(/(?<=.)\/+$/, '')
  const isFolder = given.endsWith('/') || occupant.endsWith('folder')
  const isArchive = /\.(?:tar\.gz|tgz)$/.test(path)
  if (isFolder === isArchive) {
    return wrong(`${given} is neither a .tar.gz nor a folder`, 'use a path such as bundle.tar.gz or bundle/')
  }
  if (isFolder && occupant === 'file') return wrong(`${path} is a file`, 'use another folder')
  if (occupant === 'other-folder') return wrong(`${path} is not empty and not a bundle`, 'use another folder')
  const isTaken = occupant === 'file' || occupant === 'bundle-folder'
  if (isTaken && !isForced) return wrong(`${path} already exists`, 'use another path, or --force to replace it')
  return { kind: isArchive ? 'archive' : 'folder', path }
}

function wrong(why: string, next: string): Target {
  return { kind: 'wrong', why, next }
}

export async function findOccupant(path: string): Promise<Occupant> {
  const found = await stat(path).catch(() => null)
  if (found === null) return 'nothing'
  if (!found.isDirectory()) return 'file'
  const names = await readdir(path)
  if (names.length === 0) return 'empty-folder'
  return names.includes('meta.json') ? 'bundle-folder' : 'other-folder'
}

/** The old folder is deleted only after the new one is in place. */
export async function replaceFolder<T>(
  target: string,
  write: (path: string) => Promise<T>,
  isWritten: (result: T) => boolean,
): Promise<T> {
  const mark = randomBytes(6).toString('hex')
  const [fresh, stale] = [`${target}.new-${mark}`, `${target}.old-${mark}`]
  const result = await write(fresh)
  if (!isWritten(result)) return result
  await rename(target, stale)
  await rename(fresh, target)
  await rm(stale, { recursive: true, force: true })
  return result
}
