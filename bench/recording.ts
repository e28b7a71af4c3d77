import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'

import { openArchiveFiles } from '#/adapters/bundle/archive-files.ts'
import { BUNDLE_LIMITS } from '#/adapters/bundle/open-bundle.ts'
import { readAll } from '#/adapters/bundle/read-all.ts'

/** A death that was recorded on a real node, from which larger evidence is made. */
const ARCHIVE = path.resolve(import.meta.dirname, '..', 'test', 'bundles', 'deaths', 'oom-container.tar.gz')

/** Who died in it, and where the bundle says so. */
export const RECORDED = {
  pod: 'linux-8g-k2xvq-runner-7hn4d',
  log: 'logs/arc-runners/linux-8g-k2xvq-runner-7hn4d/runner.log',
  node: 'runner-node-1',
  journal: 'journal/runner-node-1.jsonl',
  events: 'kubernetes/events.json',
} as const

/** The recording as a folder that may be changed. */
export async function unpackRecording(folder: string): Promise<string> {
  const files = await openArchiveFiles(ARCHIVE, BUNDLE_LIMITS, AbortSignal.timeout(60_000))
  for (const file of files.sizes.keys()) {
    const target = path.join(folder, file)
    mkdirSync(path.dirname(target), { recursive: true })
    writeFileSync(target, await readAll(files.chunks(file), BUNDLE_LIMITS.fileBytes))
  }
  await files.close()
  return folder
}
