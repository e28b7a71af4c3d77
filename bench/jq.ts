import { spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

import type { ChildRun } from './run-child.ts'

const PROGRAM = 'jq'

/** One of the questions that `audit burst` answers on its way: pods that hold a slot of each node, runners without a job of each set. */
const QUESTION = `{
  slots: (reduce (.[0].items[] | select(.status.phase != "Succeeded" and .status.phase != "Failed") | .spec.nodeName) as $node ({}; .[$node] += 1)),
  jobless: (reduce (.[1].items[] | select(.status.jobId == null and .status.workflowRunId == null) | .metadata.labels["actions.github.com/scale-set-name"]) as $set ({}; .[$set] += 1))
}`

/** Null where it is not installed. */
export function jqVersion(): string | null {
  const { status, stdout } = spawnSync(PROGRAM, ['--version'], { encoding: 'utf8' })
  return status === 0 ? stdout.trim() : null
}

export type JqAnswer = {
  readonly slots: Readonly<Record<string, number>>
  readonly jobless: Readonly<Record<string, number>>
}

const LOOK_EVERY_MS = 20

/** The peak of its memory is what the kernel says of it shortly before its end. */
export async function askJq(pods: string, runners: string): Promise<ChildRun> {
  const start = performance.now()
  const child = spawn(PROGRAM, ['--slurp', QUESTION, pods, runners], { stdio: ['ignore', 'pipe', 'inherit'] })
  let stdout = ''
  let peakKiB = 0
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  const looking = setInterval(() => {
    peakKiB = Math.max(peakKiB, highWaterKiB(child.pid))
  }, LOOK_EVERY_MS)
  const status = await new Promise<number | null>((resolve) => child.once('close', resolve))
  clearInterval(looking)
  if (status !== 0) throw new Error(`${PROGRAM} ended with ${status}`)
  return { seconds: (performance.now() - start) / 1000, megabytes: (peakKiB * 1024) / 1e6, stdout }
}

function highWaterKiB(pid: number | undefined): number {
  try {
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0)
  } catch {
    return 0
  }
}
