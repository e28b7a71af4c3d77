import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { copyJournal } from '#/adapters/journal/copy-journal.ts'
import type { JournalCopyOptions } from '#/adapters/journal/copy-journal.ts'
import { blind, none, seen } from '#/core/basics/observed.ts'
import type { Blind, Observed } from '#/core/basics/observed.ts'
import type { HostFileName, ThisHost } from '#/ports/this-host.ts'
import { findCgroups } from './find-cgroups.ts'

export type ThisHostOptions = {
  readonly journal: JournalCopyOptions
  /** Usually `/sys/fs/cgroup`. */
  readonly cgroupRoot: string
}

/** A file server that is away must not hold us; its file systems are not asked (`-l`). */
const COMMANDS: Readonly<Partial<Record<HostFileName, readonly [string, ...string[]]>>> = {
  'free-m': ['free', '-m'],
  df: ['df', '-l'],
  'df-i': ['df', '-l', '-i'],
}
const COMMAND_TIMEOUT_MS = 10_000
const MAX_OUTPUT_BYTES = 4 * 1024 * 1024

export function openThisHost({ journal, cgroupRoot }: ThisHostOptions): ThisHost {
  return {
    journal: (window, signal) => copyJournal(journal, window, signal),
    file: async (name, signal) => {
      const command = COMMANDS[name]
      return command === undefined ? readFrom(`/${name}`) : printed(command, signal)
    },
    cgroups: async (pod, signal) => {
      const copies = await findCgroups(cgroupRoot, pod, signal)
      return copies.length === 0 ? none() : seen(copies)
    },
  }
}

async function readFrom(path: string): Promise<Observed<string>> {
  try {
    return seen(await readFile(path, 'utf8'))
  } catch (error) {
    return fault(error, path)
  }
}

async function printed(
  [program, ...args]: readonly [string, ...string[]],
  signal: AbortSignal,
): Promise<Observed<string>> {
  const what = [program, ...args].join(' ')
  try {
    const options = { env: { LC_ALL: 'C' }, timeout: COMMAND_TIMEOUT_MS, maxBuffer: MAX_OUTPUT_BYTES, signal }
    const { stdout } = await promisify(execFile)(program, args, options)
    return seen(stdout)
  } catch (error) {
    return signal.aborted ? blind('stopped', `${what}: given up because we are stopping`) : fault(error, what)
  }
}

function fault(error: unknown, what: string): Blind {
  const code = error instanceof Error && 'code' in error ? error.code : null
  if (error instanceof Error && 'killed' in error && error.killed === true) {
    return blind('timeout', `${what}: no answer within ${COMMAND_TIMEOUT_MS} ms`)
  }
  if (code === 'ENOENT') return blind('unsupported', `${what}: this machine has none`)
  if (code === 'EACCES' || code === 'EPERM') return blind('forbidden', `${what}: permission is denied`)
  return blind('server-error', `${what}: ${String(code ?? error)}`)
}
