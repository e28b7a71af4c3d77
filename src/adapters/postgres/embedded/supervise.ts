import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { refusal } from '#/adapters/postgres/connection/database-refusal.ts'
import type { Refusal } from '#/adapters/postgres/connection/database-refusal.ts'
import { backoffMs } from '#/core/basics/backoff.ts'
import { adviceFor } from './failure-advice.ts'
import { launch, serverLog } from './launch.ts'
import type { Launched, LaunchFailure, LaunchRequest } from './launch.ts'
import { makeSocketFolder, socketFolders } from './socket-folder.ts'

const NO_SOCKET = 'could not create any Unix-domain sockets'
/** After a crash the workers of the former server need a moment to notice that it is gone. */
const WORKERS_LEAVE_MS = 30_000
const RETRY_MS = 250
const RESTART = { firstMs: RETRY_MS, mostMs: 30_000 }
const FAST_SHUTDOWN_MS = 60_000

export type ServerPlan = Omit<LaunchRequest, 'socketFolder'> & { readonly kind: 'plan' }
export type RunningServer = {
  readonly kind: 'running'
  readonly socketFolder: string
  readonly pid: () => number | undefined
  readonly stop: () => Promise<void>
}

/** Keeps the server running, on the same socket, until `stop`. */
export async function supervise(plan: ServerPlan): Promise<RunningServer | Refusal> {
  const first = await startOnUsableSocket(plan)
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
  const watched = keepRunning({ ...plan, socketFolder: first.socketFolder, signal: stopping.signal }, first, (next) => {
    current = next
  })
  const stop = async () => {
    stopping.abort()
    await watched
    process.off('exit', endWithUs)
    await rm(first.socketFolder, { recursive: true, force: true })
  }
  return { kind: 'running', socketFolder: first.socketFolder, pid: () => current.child.pid, stop }
}

type OnSocket = Launched & { readonly socketFolder: string }

async function startOnUsableSocket(plan: ServerPlan): Promise<OnSocket | LaunchFailure> {
  let failure: LaunchFailure = { kind: 'failed', log: 'no folder can take its socket' }
  for (const socketFolder of await socketFolders(plan.cluster.folder)) {
    if (!(await makeSocketFolder(socketFolder, plan.account))) continue
    const launched = await launchAfterWorkersLeft({ ...plan, socketFolder })
    if (launched.kind === 'ready') return { ...launched, socketFolder }
    failure = launched
    // Some network and shared file systems hold no sockets.
    if (!failure.log.includes(NO_SOCKET)) break
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
