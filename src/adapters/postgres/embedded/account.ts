import { stat } from 'node:fs/promises'
import type { Refusal } from '#/adapters/postgres/connection/database-refusal.ts'
import { refusal } from '#/adapters/postgres/connection/database-refusal.ts'
import { runCommand } from './run-command.ts'

/** Who runs PostgreSQL: we ourselves, or another user because we are root, which PostgreSQL refuses to be. */
export type Account = { readonly kind: 'self' } | OtherAccount
export type OtherAccount = { readonly kind: 'other'; readonly name: string; readonly uid: number; readonly gid: number }

export type Owner = { readonly uid: number; readonly gid: number }

/** Users without rights, in order of preference. macOS puts an underscore before the names of its service users. */
const UNPRIVILEGED_USERS = ['postgres', '_postgres', 'nobody']
const ID_TIMEOUT_MS = 10_000

export async function findAccount(dataFolder: string, signal: AbortSignal): Promise<Account | Refusal> {
  const ownUid = process.getuid?.()
  const dataOwner = await readOwner(dataFolder)
  const known = ownUid === 0 ? await unprivilegedUsers(signal) : []
  return chooseAccount({ ownUid, dataOwner, known, dataFolder })
}

export function chooseAccount(observed: {
  readonly ownUid: number | undefined
  readonly dataOwner: Owner | null
  readonly known: readonly OtherAccount[]
  readonly dataFolder: string
}): Account | Refusal {
  const { ownUid, dataOwner, known, dataFolder } = observed
  if (ownUid !== 0) {
    if (dataOwner === null || dataOwner.uid === ownUid) return { kind: 'self' }
    return refusal(
      `the PostgreSQL data in ${dataFolder} belongs to the user with id ${dataOwner.uid}, not to you (${ownUid})`,
      'Start signalbox as that user or as root, or give it another folder with --data.',
    )
  }
  // Data that an ordinary user made stays his, also when signalbox is started with sudo once.
  if (dataOwner !== null && dataOwner.uid !== 0) {
    const named = known.find((account) => account.uid === dataOwner.uid)
    return named ?? { kind: 'other', name: `id ${dataOwner.uid}`, ...dataOwner }
  }
  return (
    known[0] ??
    refusal(
      `PostgreSQL does not run as root, and this machine has no user ${UNPRIVILEGED_USERS.join(' or ')}`,
      'Start signalbox as an ordinary user, create the user postgres, or set DATABASE_URL.',
    )
  )
}

async function unprivilegedUsers(signal: AbortSignal): Promise<readonly OtherAccount[]> {
  const found = await Promise.all(UNPRIVILEGED_USERS.map((name) => lookUp(name, signal)))
  return found.filter((account) => account !== null)
}

async function lookUp(name: string, signal: AbortSignal): Promise<OtherAccount | null> {
  const [uid, gid] = await Promise.all([numericId('-u', name, signal), numericId('-g', name, signal)])
  return uid === null || gid === null ? null : { kind: 'other', name, uid, gid }
}

async function numericId(flag: '-u' | '-g', name: string, signal: AbortSignal): Promise<number | null> {
  const account: Account = { kind: 'self' }
  const { ok, output } = await runCommand({
    program: 'id',
    args: [flag, name],
    account,
    timeoutMs: ID_TIMEOUT_MS,
    signal,
  })
  return ok && /^\d+$/u.test(output) ? Number(output) : null
}

async function readOwner(path: string): Promise<Owner | null> {
  try {
    const { uid, gid } = await stat(path)
    return { uid, gid }
  } catch {
    return null
  }
}
