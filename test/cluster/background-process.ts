import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from './command.ts'
import { readClusterEnvironment } from './environment.ts'
import type { Guard } from './guard.ts'
import { identify } from './process-identity.ts'
import { until } from './until.ts'

export interface ProcessPlan {
  readonly name: string
  readonly program: string
  readonly args: readonly string[]
  /** `journal`: as a service of a real node, under its name as the identifier. */
  readonly logsTo: 'file' | 'journal'
  readonly ending?: 'SIGKILL' | 'SIGTERM'
}

/** A program that runs in the background until it is killed. */
export interface BackgroundProcess {
  readonly name: string
  readonly pid: number
  readonly hasExited: () => boolean
  /** The end of its output, to explain a failure. */
  readonly lastLines: () => Promise<string>
  /** As in a crash: with a signal that it cannot handle. */
  readonly kill: () => Promise<void>
}

const LINES_TO_SHOW = 30

export async function startProcess(guard: Guard, plan: ProcessPlan): Promise<BackgroundProcess> {
  if (guard.hasEnded()) throw new Error(`${plan.name} was not started: the cluster was stopped`)
  const logFile = join(guard.folder, `${plan.name}.log`)
  // systemd-cat connects to the journal and then becomes the program, so the process number is the program's.
  const command = plan.logsTo === 'journal' ? ['systemd-cat', '-t', plan.name, plan.program] : [plan.program]
  const [program = '', ...prefix] = command
  const log = openSync(logFile, 'a')
  const child = spawn(program, [...prefix, ...plan.args], {
    // Ctrl-C in the terminal must reach the owner only: the guardian ends the rest, in order.
    detached: true,
    cwd: guard.folder,
    env: readClusterEnvironment().inherited,
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  const exited = once(child, 'exit').catch(() => undefined)
  await once(child, 'spawn')
  const { pid } = child
  if (pid === undefined) throw new Error(`${plan.name} did not start`)
  guard.record({ kind: 'process', identity: identify(pid), ending: plan.ending ?? 'SIGKILL' })
  const hasExited = (): boolean => child.exitCode !== null || child.signalCode !== null
  return {
    name: plan.name,
    pid,
    hasExited,
    lastLines: () => (plan.logsTo === 'journal' ? lastJournalLines(pid) : lastFileLines(logFile)),
    kill: async () => {
      if (!hasExited()) child.kill('SIGKILL')
      await exited
    },
  }
}

/** Waits until a program that was just started does its work, and gives up at once if it ends instead. */
export async function untilServing(
  process: BackgroundProcess,
  timeoutMs: number,
  serves: () => Promise<boolean>,
): Promise<void> {
  await until({
    what: `${process.name} to serve`,
    timeoutMs,
    explain: process.lastLines,
    probe: async () => {
      if (process.hasExited()) throw new Error(`${process.name} ended at its start\n${await process.lastLines()}`)
      return (await serves()) ? true : undefined
    },
  })
}

async function lastFileLines(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch(() => '')
  return text.trimEnd().split('\n').slice(-LINES_TO_SHOW).join('\n')
}

async function lastJournalLines(pid: number): Promise<string> {
  const outcome = await run('journalctl', ['-o', 'cat', '-n', String(LINES_TO_SHOW), `_PID=${pid}`])
  return outcome.stdout
}
