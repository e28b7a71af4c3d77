import { chmod, mkdtemp, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { refusal } from '#/adapters/postgres/connection/database-refusal.ts'
import type { Refusal } from '#/adapters/postgres/connection/database-refusal.ts'
import type { Account } from './account.ts'
import { POINTER, recordedRoot, recordOrigin, refuseCopiedPointer } from './data-origin.ts'
import { makeFolder } from './make-folder.ts'
import { pathExists } from './path-exists.ts'
import { runCommand } from './run-command.ts'

/** Long, because a machine that is only busy must not look like a folder that cannot be entered. */
const PROBE_TIMEOUT_MS = 60_000

export type DataRootRequest = {
  /** The folder that was asked for. It exists. */
  readonly folder: string
  /** Where root keeps data that the account cannot reach where it was asked for; it outlives a reboot. */
  readonly systemFolder: string
  readonly account: Account
  readonly notice: (line: string) => void
  readonly signal: AbortSignal
}
export type DataRoot = { readonly kind: 'root'; readonly root: string }

export async function chooseDataRoot(request: DataRootRequest): Promise<DataRoot | Refusal> {
  const { folder, account } = request
  const recorded = await recordedRoot(folder)
  const copied = await refuseCopiedPointer(folder, recorded)
  if (copied) return copied
  const observed = {
    folder,
    recorded,
    recordedExists: await pathExists(recorded),
    recordedReachable: await canEnter(recorded, request),
    hasData: await pathExists(join(recorded, 'postgres')),
    accountName: account.kind === 'other' ? `user ${account.name}` : 'this user',
  }
  // A probe that was broken off says nothing about the folder.
  if (request.signal.aborted) return refusal('stopped while checking the data folder', 'Start again.')
  const decision = decideDataRoot(observed)
  return decision.kind === 'elsewhere' ? await moveElsewhere(request, observed.accountName) : decision
}

export function decideDataRoot(observed: {
  readonly folder: string
  readonly recorded: string
  readonly recordedExists: boolean
  readonly recordedReachable: boolean
  readonly hasData: boolean
  readonly accountName: string
}): DataRoot | Refusal | { readonly kind: 'elsewhere' } {
  const { folder, recorded, accountName } = observed
  if (!observed.recordedExists) {
    return refusal(
      `${join(folder, POINTER)} says that the data is in ${recorded}, but that folder is gone`,
      `Bring the folder back, or remove ${join(folder, POINTER)} to begin with an empty database.`,
    )
  }
  if (observed.recordedReachable) return { kind: 'root', root: recorded }
  if (observed.hasData) {
    return refusal(
      `PostgreSQL's data is in ${recorded}, which ${accountName} can no longer enter`,
      `Let that user pass: chmod o+x ${recorded} and the folders above it.`,
    )
  }
  return { kind: 'elsewhere' }
}

async function moveElsewhere(request: DataRootRequest, accountName: string): Promise<DataRoot | Refusal> {
  const { folder, systemFolder } = request
  await makeFolder(systemFolder, 0o755)
  const root = await mkdtemp(join(systemFolder, 'data-'))
  await chmod(root, 0o711)
  if (!(await canEnter(root, request))) {
    await rmdir(root)
    return refusal(
      `PostgreSQL runs as ${accountName}, who can enter neither ${folder} nor ${systemFolder}`,
      'Give a folder that everyone may enter with --data.',
    )
  }
  await recordOrigin(folder, root)
  request.notice(`PostgreSQL runs as ${accountName}, who cannot enter ${folder}: its data is kept in ${root}`)
  return { kind: 'root', root }
}

async function canEnter(folder: string, { account, signal }: DataRootRequest): Promise<boolean> {
  const args = ['-c', 'cd -- "$1"', 'sh', folder]
  const { ok } = await runCommand({ program: '/bin/sh', args, account, timeoutMs: PROBE_TIMEOUT_MS, signal })
  return ok
}
