import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cleanEnvironment, launcher, repository } from '#test/cli/run-signalbox.ts'
import { until } from '#test/cluster/until.ts'

export type ServeProcess = {
  readonly url: string
  /** Its Unix socket. */
  readonly socket: string
  readonly pid: number
  readonly said: () => string
  readonly stop: (signal: NodeJS.Signals) => Promise<void>
}

/** For suites about access: without it this machine needs no token. */
export const TOKEN_NEEDED = { SIGNALBOX_API_OPEN_TO_THIS_MACHINE: 'false' }

/** The real program, with its own PostgreSQL unless another is given. Open to this machine, as most suites need it. */
export async function startServe(
  args: readonly string[],
  databaseUrl: string | null,
  more: Readonly<Record<string, string>> = {},
): Promise<ServeProcess> {
  // Several run at once in the same folder, where their sockets would have the same path.
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-serve-'))
  const access = { SIGNALBOX_API_OPEN_TO_THIS_MACHINE: 'true', SIGNALBOX_API_SOCKET: join(folder, 'api.sock') }
  const database = databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }
  // What a killed process leaves in its temporary folder goes with it.
  const env = cleanEnvironment({ TMPDIR: folder, ...access, ...database, ...more })
  const place = args.includes('--listen') ? [] : ['--listen', '127.0.0.1:0']
  const all = ['serve', ...place, ...args]
  const child = spawn(launcher, all, { cwd: repository, env, stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
  const closed = once(child, 'close')
  // Waits for the last line: the program prints line by line.
  const probe = async (): Promise<string | undefined> => /listening\s+(https?:\S+)\n[^]*Ctrl-C stops it/.exec(said)?.[1]
  const url = await until({ what: 'serve to listen', timeoutMs: 180_000, probe, explain: async () => said })
  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal)
    await closed
    await rm(folder, { recursive: true, force: true })
  }
  return { url, pid: child.pid ?? 0, socket: env['SIGNALBOX_API_SOCKET'] ?? '', said: () => said, stop }
}
