import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { run, runOrThrow } from '#test/cluster/command.ts'

const MOST_KIB = 12 * 1024 * 1024

/** A separate store in the cache folder, so that the machine's images and containers are not touched. */
export async function buildah(folder: string, args: readonly string[]): Promise<string> {
  const store = ['--root', join(folder, 'store'), '--runroot', join(folder, 'run')]
  return (await runOrThrow('buildah', [...store, ...args], { environment: { STORAGE_DRIVER: 'overlay' } })).trim()
}

/** Each change of a source leaves layers behind; a clean start costs a few minutes every few dozen builds. */
export async function forgetGrownStore(folder: string): Promise<void> {
  const { stdout } = await run('du', ['-sk', join(folder, 'store')])
  if (Number.parseInt(stdout, 10) <= MOST_KIB) return
  await Promise.all(['store', 'run'].map((name) => rm(join(folder, name), { recursive: true, force: true })))
}
