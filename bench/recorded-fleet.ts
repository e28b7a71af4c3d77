import path from 'node:path'

import { openArchiveFiles } from '#/adapters/bundle/archive-files.ts'
import { BUNDLE_LIMITS } from '#/adapters/bundle/open-bundle.ts'
import { readAll } from '#/adapters/bundle/read-all.ts'

const ARCHIVE = path.resolve(import.meta.dirname, '..', 'test', 'fleets', 'arc', '0.14.2-healthy-idle.tar.gz')

/** A fleet of a real ARC, from whose objects large ones are made: each file's text by its path. */
export async function readRecordedFleet(): Promise<ReadonlyMap<string, string>> {
  const packed = await openArchiveFiles(ARCHIVE, BUNDLE_LIMITS, AbortSignal.timeout(60_000))
  const files = new Map<string, string>()
  for (const name of packed.sizes.keys()) {
    const bytes = await readAll(packed.chunks(name), BUNDLE_LIMITS.fileBytes)
    files.set(name.replace(/^\.\//, ''), Buffer.from(bytes).toString('utf8'))
  }
  await packed.close()
  return files
}
