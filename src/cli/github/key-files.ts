import { constants } from 'node:fs'
import { access, link, lstat, mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFolder } from '#/adapters/files/sync-folder.ts'
import { CommandFailure } from '#/cli/frame/command-failure.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import { printable } from '#/cli/output/printable.ts'

/** Nobody else may read a key, nor list the folder that is made for it. */
const FILE_MODE = 0o600
const FOLDER_MODE = 0o700

export async function checkFolder(folder: string, names: readonly string[], force: boolean): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: FOLDER_MODE })
    await access(folder, constants.W_OK | constants.X_OK)
  } catch (error) {
    throw new CommandFailure(EXIT.usage, printable(`--out: ${folder} cannot be written (${codeOf(error)})`), [
      'use another folder',
    ])
  }
  for (const name of names) {
    const path = join(folder, name)
    const exists = await lstat(path).then(
      () => true,
      () => false,
    )
    if (exists && !force) {
      throw new CommandFailure(EXIT.usage, printable(`${path} exists already`), [
        'use another folder, or --force to replace it',
      ])
    }
  }
}

/** Each file is whole or not there. Null when all are; else why not. */
export async function writeFiles(
  folder: string,
  files: Readonly<Record<string, string>>,
  force: boolean,
): Promise<string | null> {
  try {
    for (const [name, text] of Object.entries(files)) await writePrivate(join(folder, name), text, force)
    await syncFolder(folder)
    return null
  } catch (error) {
    return printable(`${folder} cannot be written (${codeOf(error)})`)
  }
}

async function writePrivate(path: string, text: string, force: boolean): Promise<void> {
  const draft = `${path}.${process.pid}.new`
  try {
    await writeDraft(draft, text)
    // A link refuses a name that is taken; a rename replaces it.
    if (force) await rename(draft, path)
    else await link(draft, path)
  } finally {
    await rm(draft, { force: true })
  }
}

async function writeDraft(path: string, text: string): Promise<void> {
  await using file = await open(path, 'wx', FILE_MODE)
  await file.writeFile(text)
  await file.sync()
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
}
