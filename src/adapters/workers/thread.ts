import { Worker } from 'node:worker_threads'
import type { FromThread, Parcel } from './parcel.ts'

/** What became of one task. */
export type ThreadAnswer =
  | Exclude<FromThread, { kind: 'ready' }>
  /** It cost the thread its life. */
  | { readonly kind: 'too-costly'; readonly why: string }
  | { readonly kind: 'lost'; readonly why: string }

export type Thread = {
  /** One task at a time. Null as input: the task is no longer wanted by the time the thread is ready. */
  readonly perform: (task: string, input: () => Parcel<unknown> | null, withinMs: number) => Promise<ThreadAnswer>
  /** A thread that ended performs no further task. */
  readonly hasEnded: () => boolean
  /** Ends it, also in the middle of a task. */
  readonly end: (answer?: ThreadAnswer) => Promise<void>
}

export type ThreadLimits = { readonly memoryMb: number; readonly startMs: number }

const STOPPED: ThreadAnswer = { kind: 'lost', why: 'the thread was stopped' }

/** A thread that is bounded in memory, and per task in time. It does not keep the process alive while it has no task. */
export function startThread(entry: URL, { memoryMb, startMs }: ThreadLimits): Thread {
  const worker = new Worker(entry, {
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: Math.ceil(memoryMb / 8) },
  })
  let ended: ThreadAnswer | null = null
  let answer: (given: ThreadAnswer) => void = () => {}
  const { promise: ready, resolve: isReady } = Promise.withResolvers<void>()
  const lose = (given: ThreadAnswer): void => {
    ended ??= given
    isReady()
    answer(ended)
  }
  worker.on('message', (message: FromThread) => (message.kind === 'ready' ? isReady() : answer(message)))
  worker.on('messageerror', (error) => lose({ kind: 'lost', why: error.message }))
  worker.on('error', (error: unknown) => lose(whyLost(error, memoryMb)))
  worker.on('exit', (code) => lose({ kind: 'lost', why: `the thread exited with ${code}` }))
  const end = async (given: ThreadAnswer = STOPPED): Promise<void> => {
    lose(given)
    await worker.terminate()
  }
  /** What has arrived counts, even if this thread was too busy to read it in time. */
  const limit = (ms: number, given: ThreadAnswer): Disposable => {
    let check: NodeJS.Immediate | undefined
    const timer = setTimeout(() => (check = setImmediate(() => void end(given))), ms)
    return {
      [Symbol.dispose]: () => {
        clearTimeout(timer)
        clearImmediate(check)
      },
    }
  }
  worker.unref()
  return {
    perform: async (task, input, withinMs) => {
      worker.ref()
      try {
        const { promise: answered, resolve } = Promise.withResolvers<ThreadAnswer>()
        answer = resolve
        if (ended === null) {
          using _starting = limit(startMs, { kind: 'lost', why: `the thread did not start within ${startMs} ms` })
          await ready
        }
        const parcel = ended === null ? input() : null
        if (parcel === null) return ended ?? STOPPED
        using _performing = limit(withinMs, { kind: 'too-costly', why: `it took longer than ${withinMs / 1000} s` })
        worker.postMessage({ task, input: parcel.value }, [...parcel.transfer])
        return await answered
      } catch (error) {
        // What cannot be sent has not reached the thread.
        return { kind: 'failed', why: error instanceof Error ? error.message : String(error) }
      } finally {
        worker.unref()
      }
    },
    hasEnded: () => ended !== null,
    end,
  }
}

function whyLost(error: unknown, memoryMb: number): ThreadAnswer {
  if (!(error instanceof Error)) return { kind: 'lost', why: String(error) }
  const isOutOfMemory = 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
  return isOutOfMemory
    ? { kind: 'too-costly', why: `it needed more than ${memoryMb} MB of memory` }
    : { kind: 'lost', why: error.message }
}
