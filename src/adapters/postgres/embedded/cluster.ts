import { randomBytes } from 'node:crypto'
import { chown, mkdtemp, open, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { refusal } from '#/adapters/postgres/connection/database-refusal.ts'
import type { Refusal } from '#/adapters/postgres/connection/database-refusal.ts'
import type { Account } from './account.ts'
import type { Binaries } from './binaries.ts'
import { adviceFor, errorLines } from './failure-advice.ts'
import { pathExists } from './path-exists.ts'
import { runCommand } from './run-command.ts'

const PARTIAL_PREFIX = 'postgres.partial-'
/** Older ones have the C locale of the system alone, which sorts alike. */
const BUILTIN_LOCALE_MAJOR = 17
const INITDB_TIMEOUT_MS = 600_000
export const SUPERUSER = 'signalbox'

/** A PostgreSQL data folder, the password of its superuser, and the server's log. */
export type Cluster = {
  readonly kind: 'cluster'
  readonly folder: string
  readonly dataFolder: string
  readonly password: string
}
export type ClusterRequest = {
  readonly root: string
  readonly account: Account
  readonly binaries: Binaries
  /** Without it the data need not survive a power failure, from the first byte on. */
  readonly durable: boolean
  readonly signal: AbortSignal
}

export function clusterFolder(root: string): string {
  return join(root, 'postgres')
}

export function pgdataPath(cluster: string): string {
  return join(cluster, 'data')
}

/** Opens the cluster, or makes one where there is none. A cluster appears whole or not at all. */
export async function openCluster(request: ClusterRequest): Promise<Cluster | Refusal> {
  await removePartials(request.root)
  const folder = clusterFolder(request.root)
  if (!(await pathExists(folder))) {
    const failed = await createCluster(request)
    if (failed) return failed
  }
  const dataFolder = pgdataPath(folder)
  const version = await readFile(join(dataFolder, 'PG_VERSION'), 'utf8').catch(() => null)
  const wrong = judgeVersion({ folder, version, binaries: request.binaries })
  if (wrong) return wrong
  const password = (await readFile(join(folder, 'password'), 'utf8')).trim()
  return { kind: 'cluster', folder, dataFolder, password }
}

export function judgeVersion(observed: {
  readonly folder: string
  readonly version: string | null
  readonly binaries: Pick<Binaries, 'version' | 'major'>
}): Refusal | null {
  const { folder, binaries } = observed
  const version = observed.version?.trim()
  if (version === String(binaries.major)) return null
  if (version === undefined) {
    return refusal(
      `${folder} is there, but holds no PostgreSQL data`,
      'Restore it from a backup, or move it away to begin with an empty database.',
    )
  }
  return refusal(
    `${folder} holds data of PostgreSQL ${version}, and signalbox would run PostgreSQL ${binaries.version} on it`,
    [
      `PostgreSQL ${binaries.major} cannot read it as it is. To keep the data: (1) \`signalbox store backup store.tar.gz\`,`,
      `with the signalbox that made it, or with PostgreSQL ${version} installed and SIGNALBOX_POSTGRES_BINARIES=system;`,
      `(2) move ${folder} away; (3) \`signalbox store restore store.tar.gz\`. Each step: docs/store.md.`,
      'To begin anew: only move the folder away.',
    ].join(' '),
  )
}

async function createCluster(request: ClusterRequest): Promise<Refusal | null> {
  const { root, account, binaries, signal } = request
  const partial = await mkdtemp(join(root, PARTIAL_PREFIX))
  const passwordFile = join(partial, 'password')
  await writeFile(passwordFile, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600 })
  if (account.kind === 'other') {
    await Promise.all([partial, passwordFile].map((path) => chown(path, account.uid, account.gid)))
  }
  const program = join(binaries.folder, 'bin', 'initdb')
  const result = await runCommand({
    program,
    args: [
      ...initdbArguments(pgdataPath(partial), passwordFile, binaries.major),
      ...(request.durable ? [] : ['--no-sync']),
    ],
    account,
    timeoutMs: INITDB_TIMEOUT_MS,
    signal,
  })
  if (!result.ok) {
    await rm(partial, { recursive: true, force: true })
    const why = errorLines(result.output)
    return refusal(`PostgreSQL could not make its data folder in ${root}: ${why}`, adviceFor(result.output))
  }
  await rename(partial, clusterFolder(root))
  await syncFolder(root)
  return null
}

/** The same collation on every machine, and passwords also for connections from this machine. */
function initdbArguments(dataFolder: string, passwordFile: string, major: number): readonly string[] {
  const locale = major < BUILTIN_LOCALE_MAJOR ? [] : ['--locale-provider=builtin', '--builtin-locale=C.UTF-8']
  return [
    `--pgdata=${dataFolder}`,
    `--username=${SUPERUSER}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--data-checksums',
    '--locale=C',
    ...locale,
  ]
}

/** What an interrupted start left. An initdb that outlived it loses its folder and ends; then the next start gets the rest. */
async function removePartials(root: string): Promise<void> {
  const names = (await readdir(root)).filter((name) => name.startsWith(PARTIAL_PREFIX))
  for (const name of names) await rm(join(root, name), { recursive: true, force: true }).catch(() => undefined)
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
