import { spawnSync } from 'node:child_process'
import path from 'node:path'

import { median } from './measured.ts'
import type { Section } from './measured.ts'

const root = path.resolve(import.meta.dirname, '..')
const RUNS = 15

const signalbox = path.join(root, 'bin', 'signalbox')

const recording = path.join(root, 'test', 'bundles', 'deaths', 'oom-step.tar.gz')

const PROGRAMS: readonly (readonly [what: string, program: string, args: readonly string[]])[] = [
  ['node -e 0', process.execPath, ['-e', '0']],
  ['signalbox --version', signalbox, ['--version']],
  ['signalbox --help', signalbox, ['--help']],
  ['signalbox timeline --bundle', signalbox, ['timeline', '--bundle', recording]],
]

/** From the start of the process to its end, in turns, so that a busy moment hits all of them alike. */
export function startTimes(): Section {
  const times = PROGRAMS.map((): number[] => [])
  // The first start of a checkout strips the sources; what people feel is every later one.
  for (const [, program, args] of PROGRAMS) measureMs(program, args)
  for (let run = 0; run < RUNS; run += 1) {
    for (const [index, [, program, args]] of PROGRAMS.entries()) times[index]?.push(measureMs(program, args))
  }
  const medians = times.map((values) => median(values))
  const bare = medians[0] ?? Number.NaN
  return {
    title: `Start times from a checkout, median of ${RUNS}`,
    rows: PROGRAMS.map(([what], index) => {
      const ms = medians[index] ?? Number.NaN
      return { what, value: `${ms.toFixed(0)} ms`, note: index === 0 ? '' : `${(ms / bare).toFixed(2)} × bare node` }
    }),
  }
}

function measureMs(program: string, args: readonly string[]): number {
  const start = performance.now()
  const { status } = spawnSync(program, [...args], { stdio: 'ignore' })
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}`)
  return performance.now() - start
}
