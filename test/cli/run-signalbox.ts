import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { text } from 'node:stream/consumers'

export const repository = resolve(import.meta.dirname, '..', '..')
export const launcher = resolve(repository, 'bin', 'signalbox')

/** The program gets only the environment that a test sets. */
export function cleanEnvironment(more: Readonly<Record<string, string>> = {}): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent', ...more }
}

export type Ran = { readonly code: number | null; readonly stdout: string; readonly stderr: string }

/** The real program, by its launcher. */
export async function runSignalbox(
  args: readonly string[],
  { env = {}, cwd = repository }: { readonly env?: Readonly<Record<string, string>>; readonly cwd?: string } = {},
): Promise<Ran> {
  const child = spawn(launcher, args, { cwd, env: cleanEnvironment(env), stdio: ['ignore', 'pipe', 'pipe'] })
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ])
  return { code, stdout, stderr }
}
