import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { startProcess, untilServing } from './background-process.ts'
import { run } from './command.ts'
import type { Guard } from './guard.ts'
import { listProcesses } from './process-identity.ts'

/** The path is systemd's own, the same in every distribution that has it. */
export const JOURNALD = '/lib/systemd/systemd-journald'

const RUNTIME_FOLDER = '/run/systemd/journal'
const STORAGE_FOLDER = '/run/log/journal'
const START_TIMEOUT_MS = 120_000

/** Whether the machine had a journal, or we started one for as long as the node runs. */
export type Journal = { readonly kind: 'of-the-machine' } | { readonly kind: 'started'; readonly pid: number }

export async function provideJournal(guard: Guard): Promise<Journal> {
  if (isRunning()) return { kind: 'of-the-machine' }
  for (const path of [RUNTIME_FOLDER, STORAGE_FOLDER]) {
    if (!existsSync(path)) guard.record({ kind: 'outside-path', path })
  }
  await mkdir(RUNTIME_FOLDER, { recursive: true })
  const process = await startProcess(guard, {
    name: 'journald',
    program: JOURNALD,
    args: [],
    logsTo: 'file',
    // It closes its files on SIGTERM; a killed one leaves them as damaged.
    ending: 'SIGTERM',
  })
  await untilServing(process, START_TIMEOUT_MS, async () => (await run('systemd-cat', ['true'])).code === 0)
  return { kind: 'started', pid: process.pid }
}

function isRunning(): boolean {
  return listProcesses().some(({ commandLine: [program = ''] }) => program.endsWith('/systemd-journald'))
}
