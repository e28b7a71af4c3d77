import { readdir, realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pathExists } from './path-exists.ts'

/** Where packages put PostgreSQL: Debian and Ubuntu, the PostgreSQL project's RPMs, Homebrew. */
const PLACES = [
  { folder: '/usr/lib/postgresql', name: /^\d+$/u },
  { folder: '/usr', name: /^pgsql-\d+$/u },
  { folder: '/opt/homebrew/opt', name: /^postgresql@\d+$/u },
  { folder: '/usr/local/opt', name: /^postgresql@\d+$/u },
] as const

/** Folders whose `bin` has a PostgreSQL server of this machine, as its packages or the PATH have it. */
export async function systemInstallations(path: string): Promise<readonly string[]> {
  const packaged = await Promise.all(PLACES.map(async ({ folder, name }) => await listFolders(folder, name)))
  const inPath = path.split(':').filter((folder) => folder.startsWith('/'))
  const reached = await Promise.all(
    inPath.map(async (folder) => await realpath(join(folder, 'postgres')).catch(() => null)),
  )
  const behindPath = reached.filter((program) => program !== null).map((program) => dirname(dirname(program)))
  const all = [...new Set([...packaged.flat(), ...behindPath])]
  const complete = await Promise.all(all.map(async (folder) => await isComplete(folder)))
  return all.filter((_, index) => complete[index] === true)
}

async function listFolders(folder: string, name: RegExp): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => [])
  return names.filter((found) => name.test(found)).map((found) => join(folder, found))
}

async function isComplete(folder: string): Promise<boolean> {
  const found = await Promise.all(
    ['postgres', 'initdb'].map(async (name) => await pathExists(join(folder, 'bin', name))),
  )
  return found.every(Boolean)
}
