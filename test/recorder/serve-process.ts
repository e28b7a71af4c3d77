import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cleanEnvironment, launcher, repository } from '#test/cli/run-signalbox.ts'
import { until } from '#test/cluster/until.ts'

export type ServeProcess = {
  readonly url: string
  readonly said: () => string
  readonly stop: (signal: NodeJS.Signals) => Promise<void>
}

/** The real program, with its own PostgreSQL unless another is given. */
export async function startServe(
  args: readonly string[],
  databaseUrl: string | null,
  more: Readonly<Record<string, string>> = {},
): Promise<ServeProcess> {
  const env = cleanEnvironment({ ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }), ...more })
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
  }
  return { url, said: () => said, stop }
}
