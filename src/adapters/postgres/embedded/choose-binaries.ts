import { readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { refusal } from '#/adapters/postgres/connection/database-refusal.ts'
import type { Refusal } from '#/adapters/postgres/connection/database-refusal.ts'
import { prepareBinaries, tryBinaries } from './binaries.ts'
import type { Binaries, BinariesRequest } from './binaries.ts'
import { systemInstallations } from './system-binaries.ts'

/** What the queries need is there since this release. */
const OLDEST_MAJOR = 15

/** `bundled`: from the package; `system`: the machine's own; or the folder of `postgres` and `initdb`. */
export type BinariesSource = 'bundled' | 'system' | `/${string}`

export type ChoiceRequest = BinariesRequest & {
  readonly source: BinariesSource
  /** The PATH in which the machine's own is searched. */
  readonly searchPath: string
  /** The data that it has to serve, if there is any. */
  readonly pgdata: string
}

export async function chooseBinaries(request: ChoiceRequest): Promise<Binaries | Refusal> {
  const { source } = request
  if (source === 'bundled') return await prepareBinaries(request)
  const wanted = await readMajor(request.pgdata)
  const folders = source === 'system' ? await systemInstallations(request.searchPath) : [parentOf(source)]
  const tried = await Promise.all(folders.map(async (folder) => await tryBinaries(folder, request)))
  const found = tried.filter((binaries) => binaries.kind === 'found')
  const best = pickBinaries(found, wanted)
  return best ?? notFound(source, found, wanted)
}

/** The newest that can be used; with data, one of its major. A single folder is taken as it is: opening the data judges it. */
export function pickBinaries(found: readonly Binaries[], wanted: number | null): Binaries | null {
  const usable = found.filter(({ major }) => major >= OLDEST_MAJOR).toSorted((a, b) => b.major - a.major)
  return usable.find(({ major }) => major === wanted) ?? usable[0] ?? null
}

function notFound(source: string, found: readonly Binaries[], wanted: number | null): Refusal {
  const where = source === 'system' ? 'this machine' : source
  const old = found.map(({ version }) => version).join(', ')
  const what = old === '' ? 'no PostgreSQL server that runs here' : `only PostgreSQL ${old}`
  return refusal(
    `${where} has ${what}, and postgres.binaries asks for ${wanted ?? OLDEST_MAJOR}${wanted === null ? ' or newer' : ''}`,
    'Install the server package of PostgreSQL, set postgres.binaries to bundled, or set DATABASE_URL.',
  )
}

/** People name the folder with the programs or the one above it. */
function parentOf(folder: string): string {
  const plain = folder.replace(/\/+$/u, '')
  return basename(plain) === 'bin' ? dirname(plain) : plain
}

async function readMajor(pgdata: string): Promise<number | null> {
  const text = await readFile(join(pgdata, 'PG_VERSION'), 'utf8').catch(() => '')
  return /^\d+\s*$/u.test(text) ? Number(text) : null
}
