import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import type { Account } from './account.ts'

const OUTPUT_LIMIT = 8192

/** Nothing of ours leaks in: a PGDATA or PGPORT of the caller would change what PostgreSQL's programs do. */
export const COMMAND_ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C' }

export type Command = {
  readonly program: string
  readonly args: readonly string[]
  readonly account: Account
  readonly timeoutMs: number
  readonly signal: AbortSignal
}
/** `output` is the end of what the command wrote, or why it could not be run. */
export type CommandResult = { readonly ok: boolean; readonly output: string }

export async function runCommand(command: Command): Promise<CommandResult> {
  try {
    return await readOutput(spawnCommand(command))
  } catch (error) {
    // Most failures to spawn come as an event; some are thrown.
    return { ok: false, output: error instanceof Error ? error.message : String(error) }
  }
}

function spawnCommand(command: Command): ChildProcessByStdio<null, Readable, Readable> {
  return spawn(command.program, command.args, {
    ...asUser(command.account),
    // The account may not be able to enter the folder that we were started in.
    cwd: '/',
    env: COMMAND_ENVIRONMENT,
    stdio: ['ignore', 'pipe', 'pipe'],
    // Not the option `timeout`: its timer outlives a program that cannot be started, and we would wait for it to exit.
    signal: AbortSignal.any([command.signal, AbortSignal.timeout(command.timeoutMs)]),
  })
}

async function readOutput(child: ChildProcessByStdio<null, Readable, Readable>): Promise<CommandResult> {
  let output = ''
  const keepEnd = (chunk: Buffer) => {
    output = (output + chunk.toString('utf8')).slice(-OUTPUT_LIMIT)
  }
  child.stdout.on('data', keepEnd)
  child.stderr.on('data', keepEnd)
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null]
  const ending = signal === null ? '' : `ended by ${signal}`
  return { ok: code === 0, output: [output.trim(), ending].filter((part) => part !== '').join('\n') }
}

export function asUser(account: Account): { readonly uid?: number; readonly gid?: number } {
  return account.kind === 'other' ? { uid: account.uid, gid: account.gid } : {}
}
