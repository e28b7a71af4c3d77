import { spawnSync } from 'node:child_process'
import path from 'node:path'

export type ChildRun = {
  /** From the start of the process to its end. */
  readonly seconds: number
  /** The most memory that it had. */
  readonly megabytes: number
  readonly stdout: string
}

const PEAK = 3
const MAX_OUTPUT = 2 ** 28

/** As `bin/signalbox` does: people start a program whose sources were stripped before. */
const compileCache = path.resolve(import.meta.dirname, '..', 'node_modules', '.cache', 'signalbox')

/**
 * Runs a program that is Node, or ends in Node as `bin/signalbox` does. One that fails has not done what is measured; an audit
 * that found something has.
 */
export function runChild(program: string, args: readonly string[], accepted: readonly number[] = [0]): ChildRun {
  const start = performance.now()
  const { status, output, stdout, stderr } = spawnSync(program, [...args], {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    encoding: 'utf8',
    maxBuffer: MAX_OUTPUT,
    env: {
      ...process.env,
      NODE_COMPILE_CACHE: compileCache,
      NODE_OPTIONS: `--import ${import.meta.resolve('./report-peak.ts')}`,
    },
  })
  const seconds = (performance.now() - start) / 1000
  if (!accepted.includes(status ?? -1)) throw new Error(`${program} ${args.join(' ')} ended with ${status}: ${stderr}`)
  return { seconds, megabytes: Number(output[PEAK]) / 1e6, stdout }
}
