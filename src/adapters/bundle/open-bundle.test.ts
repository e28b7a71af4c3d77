import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { bundleContract } from '#test/contracts/bundle.ts'
import type { Files } from '#test/contracts/bundle.ts'

const run = promisify(execFile)

async function makeFolder(folder: string, files: Files): Promise<string> {
  await mkdir(folder, { recursive: true })
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), content)
  }
  return folder
}

/** By the tar of the system, as people do it. */
async function makeArchive(folder: string, files: Files): Promise<string> {
  await makeFolder(folder, files)
  await run('tar', ['-C', folder, '-czf', `${folder}.tar.gz`, '.'])
  return `${folder}.tar.gz`
}

bundleContract('a folder', makeFolder)
bundleContract('an archive', makeArchive)
