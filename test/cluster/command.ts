import { spawn } from 'node:child_process'
import { accessSync, constants, statSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { readClusterEnvironment } from './environment.ts'

export interface CommandOptions {
  readonly folder?: string
  readonly environment?: Readonly<NodeJS.ProcessEnv>
  readonly input?: string
  readonly signal?: AbortSignal
}

export interface CommandOutcome {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** The first executable of that name, as a shell would find it. */
export function findExecutable(name: string, folders: readonly string[]): string | undefined {
  return folders.map((folder) => join(folder, name)).find(isExecutable)
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/** Runs a command to its end. A command that fails is an answer here; only one that cannot start throws. */
export async function run(
  command: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<CommandOutcome> {
  const child = spawn(command, [...args], {
    cwd: options.folder,
    env: { ...readClusterEnvironment().inherited, ...options.environment },
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  })
  // A command that ends without reading its input closes the pipe; its exit code is what counts.
  child.stdin.on('error', () => undefined)
  child.stdin.end(options.input ?? '')
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  return { code, stdout, stderr }
}

/** Runs a command that must succeed, and returns its output. */
export async function runOrThrow(
  command: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<string> {
  const outcome = await run(command, args, options)
  if (outcome.code === 0) return outcome.stdout
  throw new Error(`${command} ${args.join(' ')} ended with ${outcome.code}: ${outcome.stderr.trim()}`)
}

export function progress(line: string): void {
  process.stderr.write(`cluster: ${line}\n`)
}
