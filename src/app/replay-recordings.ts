import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { openArchiveFiles } from '#/adapters/bundle/archive-files.ts'
import { BUNDLE_LIMITS } from '#/adapters/bundle/open-bundle.ts'
import { readAll } from '#/adapters/bundle/read-all.ts'
import type { Recording } from '#/sim/replay/recording.ts'

const ENDING = '.tar.gz'

/** The recordings of a folder, sorted by name; none if the folder does not exist. */
export async function readRecordings(folder: string, signal: AbortSignal): Promise<readonly Recording[]> {
  const names = (existsSync(folder) ? await readdir(folder) : []).filter((name) => name.endsWith(ENDING)).toSorted()
  return Promise.all(names.map((name) => readRecording(join(folder, name), name.slice(0, -ENDING.length), signal)))
}

async function readRecording(path: string, name: string, signal: AbortSignal): Promise<Recording> {
  const files = await openArchiveFiles(path, BUNDLE_LIMITS, signal)
  try {
    const texts = new Map<string, string>()
    for (const file of files.sizes.keys()) {
      const bytes = await readAll(files.chunks(file), BUNDLE_LIMITS.fileBytes)
      texts.set(file, Buffer.from(bytes).toString('utf8'))
    }
    return { name, files: texts }
  } finally {
    await files.close()
  }
}
