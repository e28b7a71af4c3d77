import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** The shells of this machine that an image of runners may have as /bin/sh. */
export const SHELLS: readonly (readonly [string, readonly string[]])[] = [
  ['sh', ['sh']] as const,
  ['dash', ['dash']] as const,
  ['busybox', ['busybox', 'sh']] as const,
  ['bash', ['bash']] as const,
].filter(([, [command]]) => findCommand(command) !== null)

export function findCommand(name: string): string | null {
  const { status, stdout } = spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' })
  return status === 0 ? stdout.trim() : null
}

/** The program of the repository that runs in a runner pod. */
export function runnerScript(name: string): string {
  return path.resolve(import.meta.dirname, '..', '..', 'deploy', 'runner', name)
}

/** A folder of its own that goes with the test. */
export class Place implements Disposable {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'runner-pod-'))

  at(...names: readonly string[]): string {
    const file = path.join(this.folder, ...names)
    mkdirSync(path.dirname(file), { recursive: true })
    return file
  }

  sub(name: string): string {
    const folder = path.join(this.folder, name)
    mkdirSync(folder, { recursive: true })
    return folder
  }

  /** A PATH with these commands only. */
  commands(names: readonly string[]): string {
    const bin = this.sub('bin')
    for (const name of names) {
      const target = findCommand(name)
      if (target?.startsWith('/') === true) symlinkSync(target, path.join(bin, name))
    }
    return bin
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}

export type Running = {
  readonly output: () => string
  readonly signal: (name: NodeJS.Signals) => void
  /** Until it has printed this. */
  readonly printed: (text: string) => Promise<void>
  readonly ended: Promise<number | null>
}

/** In a session of its own, as a container has one. */
export function runScript(command: readonly string[], env: Readonly<Record<string, string>>, cwd?: string): Running {
  const [program = 'sh', ...rest] = command
  const child = spawn(program, rest, { env, cwd, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  const listeners = new Set<() => void>()
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      for (const listener of listeners) listener()
    })
  }
  const ended = once(child, 'close').then(([code]: (number | null)[]) => code ?? null)
  return {
    output: () => output,
    signal: (name) => child.kill(name),
    printed: async (text) => {
      await new Promise<void>((resolve, reject) => {
        const look = (): void => {
          if (output.includes(text)) resolve()
        }
        listeners.add(look)
        look()
        void ended.then((code) => {
          look()
          reject(new Error(`ended with ${code} before it printed "${text}":\n${output}`))
        })
      })
    },
    ended,
  }
}
