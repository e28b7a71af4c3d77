import { readContainerProcesses } from '#/adapters/hosts/container-processes.ts'
import type { ProcessesOptions } from '#/adapters/hosts/container-processes.ts'
import { blind } from '#/core/basics/observed.ts'
import type { Observed } from '#/core/basics/observed.ts'

/** The processes of one container of this node. */
export type RunnerProcesses = (containerId: string, signal: AbortSignal) => Promise<Observed<string>>

export const NOT_ALLOWED = 'this agent may not see processes: set agent.processes in the chart'

/** Null options: it may not see them. */
export function createRunnerProcesses(options: ProcessesOptions | null): RunnerProcesses {
  // The kernel may hang on the arguments of a process that hangs itself: then one thread waits for it, and not all of them.
  let underWay: Promise<unknown> = Promise.resolve()
  return async (containerId, signal) => {
    if (options === null) return blind('unsupported', NOT_ALLOWED)
    const turn = underWay
    const { promise: over, resolve: end } = Promise.withResolvers<void>()
    underWay = turn.then(() => over)
    const work = async (): Promise<Observed<string>> => {
      await turn
      return readContainerProcesses(options, containerId, signal)
    }
    return untilAborted(work().finally(end), signal)
  }
}

async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const stop = (): void => reject(new Error('it took too long', { cause: signal.reason }))
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  // Whichever loses the race must not end the process.
  work.catch(() => {})
  return Promise.race([work, aborted]).finally(() => signal.removeEventListener('abort', stop))
}
