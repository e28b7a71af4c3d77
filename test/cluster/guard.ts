import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmod, mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Belonging, Leftovers } from './belongings.ts'
import { progress } from './command.ts'
import { readClusterEnvironment } from './environment.ts'
import { lockingCommand } from './file-lock.ts'

/** The owner's side of the guardian process. */
export interface Guard {
  /** The cluster's folder, removed when the guard has ended. */
  readonly folder: string
  readonly record: (belonging: Belonging) => void
  readonly hasEnded: () => boolean
  /** Ends and removes everything that was recorded; throws if something is left. May be called twice. */
  readonly end: () => Promise<void>
}

export interface GuardOptions {
  /** Held until everything is removed, also when the owner is long dead. */
  readonly lockFile?: string
}

const GUARDIAN = fileURLToPath(new URL('./guardian.ts', import.meta.url))
const WAIT_BEFORE_SAYING_SO_MS = 1000

export async function startGuard(options: GuardOptions = {}): Promise<Guard> {
  const lock = await prepareLock(options.lockFile)
  const [program, ...args] = [...lock, process.execPath, GUARDIAN]
  const child = spawn(program, args, {
    // A separate session: Ctrl-C in the terminal is for the owner.
    detached: true,
    env: { ...readClusterEnvironment().inherited, NODE_OPTIONS: '' },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  child.stdin.on('error', () => undefined)
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const sayWhyWeWait = (): void => {
    // Without a lock the only risk is a slow machine.
    if (options.lockFile !== undefined) progress('another test run has nodes on this machine; waiting until it is over')
  }
  const notice = setTimeout(sayWhyWeWait, WAIT_BEFORE_SAYING_SO_MS)
  const first = await lines.next()
  clearTimeout(notice)
  if (first.done === true) throw new Error('the guardian of the cluster did not start')
  const record = (belonging: Belonging): void => {
    child.stdin.write(`${JSON.stringify(belonging)}\n`)
  }
  const exited = once(child, 'exit')
  // Recorded before it is made, so that nothing is left whenever the owner dies.
  const folder = join(tmpdir(), `signalbox-cluster-${randomBytes(5).toString('hex')}`)
  record({ kind: 'folder', path: folder })
  await makeFolder(folder)
  let ending: Promise<void> | undefined
  const finish = async (): Promise<void> => {
    child.stdin.end()
    const last = await lines.next()
    await exited
    const { left } = JSON.parse(last.done === true ? '{"left":["the guardian itself died"]}' : last.value) as Leftovers
    if (left.length > 0) throw new Error(`the cluster left behind: ${left.join(', ')}`)
  }
  return {
    folder,
    record: (belonging) => {
      // What starts after the end would never be ended.
      if (ending !== undefined) throw new Error('the cluster was stopped')
      record(belonging)
    },
    hasEnded: () => ending !== undefined,
    end: () => {
      ending ??= finish()
      return ending
    },
  }
}

/** Reachable for every user, because the cluster runs programs as any user; its secrets have stricter modes. */
async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder)
  // Independent of the umask.
  await chmod(folder, 0o755)
}

async function prepareLock(lockFile: string | undefined): Promise<readonly string[]> {
  if (lockFile === undefined) return []
  await mkdir(dirname(lockFile), { recursive: true })
  const command = lockingCommand(lockFile)
  if (command === undefined) throw new Error('flock is needed to keep two nodes from running at once')
  return command
}
