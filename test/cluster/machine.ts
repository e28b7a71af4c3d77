import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { readClusterEnvironment } from './environment.ts'
import type { Guard } from './guard.ts'
import { startGuard } from './guard.ts'
import type { Journal } from './journal.ts'
import { provideJournal } from './journal.ts'
import { addNodeAddress } from './node-address.ts'
import { settled } from './until.ts'

/** Fixed by the programs themselves, whatever their configuration says. */
const OUTSIDE_PATHS = ['/var/lib/kubelet']
export const SHARED_FOLDERS = ['/run/containerd', '/var/log/containers']

/** What a machine has only once, however many nodes run on it. */
export interface Machine {
  readonly stop: () => Promise<void>
}

export function nodeLockFile(): string {
  return join(readClusterEnvironment().cacheFolder, 'node.lock')
}

/** For several nodes at once. Another test run on the same machine waits until this one is over. */
export async function startMachine(): Promise<Machine> {
  const guard = await startGuard({ lockFile: nodeLockFile() })
  try {
    await prepareMachine(guard)
    // Made before the first node, so that no node removes it from another.
    await settled([...OUTSIDE_PATHS, ...SHARED_FOLDERS].map((path) => mkdir(path, { recursive: true })))
    return { stop: guard.end }
  } catch (error) {
    await guard.end()
    throw error
  }
}

/** Recorded before it is made, so that the guardian removes it whatever happens next. */
export async function prepareMachine(guard: Guard): Promise<Journal> {
  guard.record({ kind: 'address' })
  for (const path of OUTSIDE_PATHS) if (!existsSync(path)) guard.record({ kind: 'outside-path', path })
  for (const path of SHARED_FOLDERS) guard.record({ kind: 'shared-folder', path })
  const [journal] = await settled([provideJournal(guard), addNodeAddress()])
  return journal
}
