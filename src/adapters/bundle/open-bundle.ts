import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { parseMeta } from '#/core/evidence/bundle-meta.ts'
import { bundlePath } from '#/core/evidence/bundle-path.ts'
import type { BundleLimits, BundleOpening } from '#/ports/bundle.ts'
import { openArchiveFiles } from './archive-files.ts'
import type { BundleFiles } from './bundle-files.ts'
import { BundleRefusal, whyRefused } from './bundle-refusal.ts'
import { createBundle } from './create-bundle.ts'
import { decodeText } from './decode-text.ts'
import { openFolderFiles } from './folder-files.ts'
import { readAll } from './read-all.ts'

export const BUNDLE_LIMITS: BundleLimits = {
  fileBytes: 256 * 1024 * 1024,
  // 50,000 pods as kubectl prints them are 600 MB.
  listBytes: 1024 * 1024 * 1024,
  totalBytes: 2 * 1024 * 1024 * 1024,
  files: 100_000,
}

const MAX_META_BYTES = 4 * 1024 * 1024

/** Opens a folder or a `.tar.gz`. The signal also ends every later reading from the bundle. */
export async function openBundle(path: string, limits: BundleLimits, signal: AbortSignal): Promise<BundleOpening> {
  try {
    const isFolder = (await stat(path)).isDirectory()
    const files = isFolder ? await openFolderFiles(path, limits, signal) : await openArchive(path, limits, signal)
    return await openFiles(files, limits, signal)
  } catch (error) {
    const why = whyRefused(error, signal)
    if (why === null) throw error
    return { kind: 'refused', why: `${path} is no bundle that can be read: ${why}` }
  }
}

async function openFiles(files: BundleFiles, limits: BundleLimits, signal: AbortSignal): Promise<BundleOpening> {
  try {
    const size = files.sizes.get(bundlePath.meta)
    if (size === undefined) throw new BundleRefusal('it has no meta.json')
    if (size > MAX_META_BYTES) throw new BundleRefusal(`meta.json is over ${MAX_META_BYTES} bytes`)
    const reading = parseMeta(decodeText(await readAll(files.chunks(bundlePath.meta), MAX_META_BYTES)))
    if (reading.kind === 'unreadable') throw new BundleRefusal(`meta.json: ${reading.why}`)
    return { kind: 'opened', bundle: createBundle({ files, meta: reading.meta, limits, signal }) }
  } catch (error) {
    await files.close()
    throw error
  }
}

async function openArchive(path: string, limits: BundleLimits, signal: AbortSignal): Promise<BundleFiles> {
  const files = await openArchiveFiles(path, limits, signal)
  // The archiver of macOS puts a file `._name` beside each file.
  const ours = [...files.sizes].filter(([name]) => !basename(name).startsWith('._'))
  const root = findRoot(ours.map(([name]) => name))
  const sizes = new Map(ours.map(([name, size]) => [name.slice(root.length), size]))
  return { ...files, sizes, chunks: (name, buffer) => files.chunks(`${root}${name}`, buffer) }
}

/** The one folder, with its slash, that holds all of an archive; empty where the files lie at the top. */
function findRoot(paths: readonly string[]): string {
  const tops = new Set(paths.map((path) => path.split('/', 1)[0]))
  const [top = ''] = tops
  return tops.size === 1 && paths.includes(`${top}/${bundlePath.meta}`) ? `${top}/` : ''
}
