import { createWriteStream } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, stat, utimes } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { printMeta } from '#/core/evidence/bundle-meta.ts'
import { bundlePath, refusePath } from '#/core/evidence/bundle-path.ts'
import type { BundleDraft, BundleFile, BundleLimits, BundleWriting } from '#/ports/bundle.ts'
import { BundleRefusal, whyRefused } from './bundle-refusal.ts'
import { packFolder } from './pack-folder.ts'
import { redactFile, redactPath } from './redact-file.ts'
import type { TarFile } from './tar-header.ts'

/**
 * Writes a bundle as a folder, or as an archive where the name ends in `.tar.gz` or `.tgz`. Everything is redacted on
 * its way. The target appears when it is complete, or not at all; an archive of the same name is replaced by it.
 */
export async function writeBundle(
  target: string,
  draft: BundleDraft,
  limits: BundleLimits,
  signal: AbortSignal,
): Promise<BundleWriting> {
  let partial: string | null = null
  try {
    // Beside the target, because a rename does not cross file systems.
    partial = await mkdtemp(join(dirname(target), `.${basename(target)}.partial-`))
    const staged = createStaging(join(partial, 'files'), limits, signal)
    for await (const { path, content } of draft.files) await staged.add({ path: redactPath(path), content })
    const meta = draft.meta()
    await staged.add({ path: bundlePath.meta, content: printMeta(meta) })
    const files = staged.files(meta.collectedAt)
    if (isArchive(target)) {
      await packFolder(staged.folder, join(partial, 'archive'), files, signal)
      await rename(join(partial, 'archive'), target)
    } else {
      for (const { path, mtimeMs } of files) await utimes(join(staged.folder, path), mtimeMs / 1000, mtimeMs / 1000)
      signal.throwIfAborted()
      await rename(staged.folder, target)
    }
    return { kind: 'written', path: target, files: files.length, bytes: staged.bytes() }
  } catch (error) {
    const why = whyRefused(error, signal)
    if (why === null) throw error
    return signal.aborted ? { kind: 'stopped' } : { kind: 'refused', why: `${target} cannot be written: ${why}` }
  } finally {
    if (partial !== null) await rm(partial, { recursive: true, force: true })
  }
}

function isArchive(target: string): boolean {
  return /\.(?:tar\.gz|tgz)$/.test(target)
}

function createStaging(folder: string, limits: BundleLimits, signal: AbortSignal) {
  const sizes = new Map<string, number>()
  let bytes = 0

  const write = async (file: BundleFile): Promise<number> => {
    const path = join(folder, file.path)
    await mkdir(dirname(path), { recursive: true })
    const room = Math.min(limits.fileBytes, limits.totalBytes - bytes)
    const content = limitBytes(redactFile(file, limits.fileBytes), room, file.path)
    await pipeline(content, createWriteStream(path, { mode: 0o600, flags: 'wx' }), { signal })
    return (await stat(path)).size
  }

  return {
    folder,
    bytes: (): number => bytes,
    add: async (file: BundleFile): Promise<void> => {
      signal.throwIfAborted()
      const refused = refusePath(file.path)
      if (refused !== null) throw new BundleRefusal(`a file has ${refused}`)
      if (sizes.size >= limits.files) throw new BundleRefusal(`there are more than ${limits.files} files`)
      const size = await write(file)
      bytes += size
      sizes.set(file.path, size)
    },
    /** `meta.json` first, so that a reader of the stream knows at once what it has. */
    files: (mtimeMs: number): readonly TarFile[] => {
      const paths = [...sizes.keys()].filter((path) => path !== bundlePath.meta).toSorted()
      return [bundlePath.meta, ...paths].map((path) => ({ path, size: sizes.get(path) ?? 0, mtimeMs }))
    },
  }
}

async function* limitBytes(chunks: AsyncIterable<Uint8Array>, room: number, path: string): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.length
    if (bytes > room) throw new BundleRefusal(`${path} makes it larger than allowed`)
    yield chunk
  }
}
