import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { refusal } from '#/adapters/postgres/connection/database-refusal.ts'
import type { Refusal } from '#/adapters/postgres/connection/database-refusal.ts'
import { backoffMs } from '#/core/basics/backoff.ts'
import { adviceFor } from './failure-advice.ts'
import { launch, serverLog } from './launch.ts'
import type { Launched, LaunchFailure, LaunchRequest } from './launch.ts'

/** Below the kernel's range for outgoing connections: a server that is down for a moment must find its port free again. */
const FIRST_PORT = 20_000
const LAST_PORT = 32_000
const PORT_ATTEMPTS = 20
/** After a crash the workers of the former server need a moment to notice that it is gone. */
const WORKERS_LEAVE_MS = 30_000
const RETRY_MS = 250
const RESTART = { firstMs: RETRY_MS, mostMs: 30_000 }
const FAST_SHUTDOWN_MS = 60_000

export type ServerPlan = Omit<LaunchRequest, 'port'> & {
  readonly kind: 'plan'
  readonly choosePort: () => number
}
export type RunningServer = {
  readonly kind: 'running'
  readonly port: number
  readonly pid: () => number | undefined
  readonly stop: () => Promise<void>
}

export function randomPort(): number {
  return randomInt(FIRST_PORT, LAST_PORT)
}

/** Keeps the server running, on the same port, until `stop`. */
export async function supervise(plan: ServerPlan): Promise<RunningServer | Refusal> {
  const first = await startOnFreePort(plan)
  if (first.kind === 'failed') {
    return refusal(
      `PostgreSQL did not start: ${first.log}`,
      `${adviceFor(first.log)} Its log is ${serverLog(plan.cluster)}.`,
    )
  }
  const stopping = new AbortController()
  let current: Launched = first
  const endWithUs = () => void current.child.kill('SIGINT')
  process.once('exit', endWithUs)
  const watched = keepRunning({ ...plan, port: first.port, signal: stopping.signal }, first, (next) => {
    current = next
  })
  const stop = async () => {
    stopping.abort()
    await watched
    process.off('exit', endWithUs)
  }
  return { kind: 'running', port: first.port, pid: () => current.child.pid, stop }
}

async function startOnFreePort(plan: ServerPlan): Promise<(Launched & { readonly port: number }) | LaunchFailure> {
  let failure: LaunchFailure = { kind: 'failed', log: '' }
  for (let attempt = 0; attempt < PORT_ATTEMPTS; attempt += 1) {
    const port = plan.choosePort()
    const launched = await launchAfterWorkersLeft({ ...plan, port })
    if (launched.kind === 'ready') return { ...launched, port }
    failure = launched
    if (!failure.log.includes('Address already in use')) break
  }
  return failure
}

async function launchAfterWorkersLeft(request: LaunchRequest): Promise<Launched | LaunchFailure> {
  const { clock, signal } = request
  const deadline = clock.now() + WORKERS_LEAVE_MS
  for (;;) {
    const launched = await launch(request)
    const blocked = launched.kind === 'failed' && launched.log.includes('pre-existing shared memory block')
    if (!blocked || signal.aborted || clock.now() > deadline) return launched
    await clock.sleep(RETRY_MS, signal)
  }
}

async function keepRunning(request: LaunchRequest, first: Launched, onChange: (next: Launched) => void): Promise<void> {
  const { signal, notice } = request
  const stopped = once(signal, 'abort')
  for (let current: Launched | null = first; current !== null; current = await startAgain(request)) {
    onChange(current)
    await Promise.race([current.exited, stopped])
    if (signal.aborted) {
      await shutDown(current, request)
      return
    }
    notice(`PostgreSQL (pid ${current.child.pid}) ended unexpectedly and is started again`)
  }
}

/** Null if it was stopped first. */
async function startAgain(request: LaunchRequest): Promise<Launched | null> {
  const { clock, notice, signal } = request
  await clock.sleep(backoffMs(RESTART, 0), signal)
  for (let failures = 1; !signal.aborted; failures += 1) {
    const launched = await launchAfterWorkersLeft(request)
    if (launched.kind === 'ready') return launched
    const pauseMs = backoffMs(RESTART, failures)
    notice(`PostgreSQL did not start; the next try is in ${pauseMs} ms: ${launched.log}`)
    await clock.sleep(pauseMs, signal)
  }
  return null
}

async function shutDown({ child, exited }: Launched, { clock, notice }: LaunchRequest): Promise<void> {
  child.kill('SIGINT')
  const waiting = new AbortController()
  const late = clock.sleep(FAST_SHUTDOWN_MS, waiting.signal).then(() => 'late' as const)
  if ((await Promise.race([exited, late])) === 'late') {
    notice('PostgreSQL is slow to stop; forcing an immediate shutdown (it recovers at the next start)')
    child.kill('SIGQUIT')
    await exited
  }
  waiting.abort()
}
