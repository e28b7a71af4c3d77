import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { findExecutable } from './command.ts'
import { readClusterEnvironment } from './environment.ts'

const WAIT_BEFORE_SAYING_SO_MS = 1000

/**
 * The command that holds a lock for as long as it runs. The lock is the kernel's own (flock), so it cannot be left
 * behind by a dead process and there is no stale file to take over. Undefined where there is no flock (macOS).
 */
export function lockingCommand(lockFile: string): readonly string[] | undefined {
  const flock = findExecutable('flock', readClusterEnvironment().searchPath)
  return flock === undefined ? undefined : [flock, '--exclusive', lockFile]
}

export interface LockRequest {
  readonly lockFile: string
  readonly onWait: () => void
}

/** Does the work while no other process does work under the same lock. */
export async function withFileLock<T>(request: LockRequest, work: () => Promise<T>): Promise<T> {
  await mkdir(dirname(request.lockFile), { recursive: true })
  const command = lockingCommand(request.lockFile)
  if (command === undefined) return await work()
  // `cat` ends when its input closes, which the kernel does for us if this process dies.
  const [program, ...args] = [...command, 'sh', '-c', 'echo locked; exec cat']
  const holder = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const released = once(holder, 'close')
  const notice = setTimeout(request.onWait, WAIT_BEFORE_SAYING_SO_MS)
  try {
    const [first] = (await Promise.race([once(holder.stdout, 'data'), released])) as readonly unknown[]
    clearTimeout(notice)
    if (!Buffer.isBuffer(first)) throw new Error(`could not lock ${request.lockFile}`)
    return await work()
  } finally {
    clearTimeout(notice)
    holder.stdin.end()
    await released
  }
}
