import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cleanEnvironment, launcher, repository } from '#test/cli/run-signalbox.ts'

export type AgentProcess = {
  readonly pid: number
  readonly said: () => string
  /** Its exit code. */
  readonly ended: Promise<number | null>
  /** Gives its exit code. */
  readonly stop: (signal: NodeJS.Signals) => Promise<number | null>
}

/** As the container of the chart: root without a single capability. */
const UNPRIVILEGED = [
  'setpriv',
  '--no-new-privs',
  '--bounding-set=-all',
  '--inh-caps=-all',
  '--ambient-caps=-all',
] as const

/** The real program. */
export function startAgent(args: readonly string[], asInTheChart = false): AgentProcess {
  const [program, ...before] = asInTheChart ? [...UNPRIVILEGED, launcher] : [launcher]
  const child = spawn(program, [...before, 'agent', ...args], {
    cwd: repository,
    env: cleanEnvironment(),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
  const ended = (once(child, 'close') as Promise<[number | null]>).then(([code]) => code)
  const stop = async (signal: NodeJS.Signals): Promise<number | null> => {
    child.kill(signal)
    return ended
  }
  return { pid: child.pid ?? 0, said: () => said, ended, stop }
}
