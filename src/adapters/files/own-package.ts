import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'

export type OwnPackage = { readonly version: string; readonly folder: string }

/** The package that this file belongs to. Its depth differs between the sources and the compiled program. */
export function ownPackage(start: string = import.meta.dirname): OwnPackage {
  for (let folder = start; folder !== dirname(folder); folder = dirname(folder)) {
    const file = join(folder, 'package.json')
    if (!existsSync(file)) continue
    const { name, version } = JSON.parse(readFileSync(file, 'utf8')) as { name?: unknown; version?: unknown }
    if (name === 'signalbox' && typeof version === 'string') return { version, folder }
  }
  throw new Error('this program is not inside its package: install it again')
}

/** What a person types in the working folder to start this program. */
export function ownCommand(folder: string, workingFolder: string): string {
  if (folder.split(sep).includes('node_modules')) return 'npx signalbox'
  const launcher = join('bin', 'signalbox')
  return folder === workingFolder ? launcher : join(folder, launcher)
}

const GIT_TIMEOUT_MS = 2_000

/** Null outside a checkout, and where git is missing or refuses. */
export async function readCommit(folder: string, signal: AbortSignal): Promise<string | null> {
  if (!existsSync(join(folder, '.git'))) return null
  return new Promise((resolve) => {
    execFile('git', ['rev-parse', 'HEAD'], { cwd: folder, timeout: GIT_TIMEOUT_MS, signal }, (error, stdout) => {
      resolve(error === null ? stdout.trim() : null)
    })
  })
}
