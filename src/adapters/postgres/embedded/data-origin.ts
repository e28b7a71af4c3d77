import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { refusal } from '#/adapters/postgres/connection/database-refusal.ts'
import type { Refusal } from '#/adapters/postgres/connection/database-refusal.ts'
import { sameFolder } from './same-folder.ts'

/** In the folder that was asked for: names the folder that is used instead. */
export const POINTER = 'postgres.location'
/** In the folder that is used instead: names the one that was asked for, so that a copy of it is recognised. */
const ORIGIN = 'postgres.origin'

/** Where earlier starts put the data, which may be elsewhere. */
export async function recordedRoot(folder: string): Promise<string> {
  return (await readName(join(folder, POINTER))) ?? folder
}

/** Makes both folders name each other. */
export async function recordOrigin(folder: string, root: string): Promise<void> {
  await writeName(join(root, ORIGIN), folder)
  await writeName(join(folder, POINTER), root)
}

/**
 * `cp -a A B` copies the pointer, not the data: B then names the database of A. A folder that was moved, or brought to
 * another disk, is the only one left that names the data, and takes it over.
 */
export async function refuseCopiedPointer(folder: string, root: string): Promise<Refusal | null> {
  const origin = await readName(join(root, ORIGIN))
  if (root === folder || origin === null || origin === folder) return null
  const isCopy = (await sameFolder(origin, folder)) === false && (await recordedRoot(origin)) === root
  if (!isCopy) return null
  return refusal(
    `${folder} is a copy of ${origin}: the database that it names, in ${root}, belongs to ${origin}`,
    `Remove ${join(folder, POINTER)}; then either begin with an empty database, or copy the data by \`signalbox store backup FILE --data ${origin}\` and \`signalbox store restore FILE --data ${folder}\`.`,
  )
}

async function readName(file: string): Promise<string | null> {
  const text = await readFile(file, 'utf8').catch(() => null)
  return text?.trim() || null
}

async function writeName(file: string, name: string): Promise<void> {
  if ((await readName(file)) === name) return
  await writeFile(`${file}.new`, `${name}\n`)
  await rename(`${file}.new`, file)
}
