import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Migration } from './migrate-plan.ts'

const FILE_NAME = /^(\d{4})_([a-z0-9_]+)\.sql$/u
const HEADER = /^--!(.*)$/mu

/** `migrations/` next to the package.json above this file: the same search finds it from a checkout and from dist/. */
export function migrationsFolder(startFolder: string = import.meta.dirname): string {
  for (let folder = startFolder; folder !== dirname(folder); folder = dirname(folder)) {
    const candidate = join(folder, 'migrations')
    if (existsSync(join(folder, 'package.json')) && existsSync(candidate)) return candidate
  }
  throw new Error(`no migrations/ beside a package.json above ${startFolder}: the installation is incomplete`)
}

export async function readMigrations(folder: string): Promise<readonly Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).toSorted()
  const migrations = await Promise.all(
    names.map(async (name) => parseMigration(name, await readFile(join(folder, name), 'utf8'))),
  )
  const misplaced = migrations.find((migration, index) => migration.number !== index + 1)
  if (misplaced) throw new Error(`migrations must be numbered 1, 2, 3 …: ${misplaced.name} breaks the row`)
  return migrations
}

export function parseMigration(fileName: string, text: string): Migration {
  const parts = FILE_NAME.exec(fileName)
  if (!parts) throw new Error(`a migration is named NNNN_name.sql, not ${fileName}`)
  // A checkout with CRLF line ends is the same migration.
  const sql = text.replaceAll('\r\n', '\n')
  const header = HEADER.exec(sql)
  const breaking = header?.index === 0 && header[1]?.trim() === 'breaking-change'
  if (header && !breaking) {
    throw new Error(`${fileName}: a line that starts with --! must be the first and say breaking-change`)
  }
  const sha256 = createHash('sha256').update(sql).digest('hex')
  return { number: Number(parts[1]), name: fileName, sha256, breaking, sql }
}
