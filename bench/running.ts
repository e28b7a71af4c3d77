import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const root = path.resolve(import.meta.dirname, '..')
const READY_MS = 300_000

export const SIGNALBOX = path.join(root, 'bin', 'signalbox')

/** A program that runs until it gets a signal. `url`: where it says that it listens. */
export type Running = { readonly child: ChildProcess; readonly said: () => string; readonly url: () => string | null }

export function start(program: string, args: readonly string[], env: Readonly<Record<string, string>>): Running {
  const child = spawn(program, [...args], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  const hear = (chunk: Buffer): void => void (said = (said + chunk.toString()).slice(-100_000))
  child.stdout.on('data', hear)
  let url: string | null = null
  child.stderr.on('data', (chunk: Buffer) => {
    hear(chunk)
    url ??= /listening\s+(http:\S+)/.exec(said)?.[1] ?? null
  })
  return { child, said: () => said, url: () => url }
}

export async function stop(child: ChildProcess): Promise<void> {
  const closed = once(child, 'close')
  child.kill('SIGINT')
  await closed
}

export async function untilTrue(isSo: () => Promise<boolean>, said: () => string): Promise<void> {
  const end = performance.now() + READY_MS
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`not ready within ${READY_MS} ms: ${said().slice(-2000)}`)
    await sleep(250)
  }
}
