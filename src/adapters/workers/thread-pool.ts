import { createFairQueue } from '#/core/basics/fair-queue.ts'
import type { InputOf, OutputOf, Parcel, Tasks } from './parcel.ts'
import { createThreadSet } from './thread-set.ts'
import type { Thread, ThreadAnswer } from './thread.ts'

/** Threads for work that would hold up the event loop, or may never end. */
export type ThreadPool<T extends Tasks> = AsyncDisposable & {
  /** Rejects where the signal aborts it or the pool is closed; every other end is an outcome. */
  readonly run: <K extends keyof T & string>(
    task: K,
    input: () => Parcel<InputOf<T[K]>>,
    order: TaskOrder,
  ) => Promise<TaskOutcome<OutputOf<T[K]>>>
}

export type TaskOrder = {
  /** Whose work it is. Keys are served in turn, and none has every thread. */
  readonly key: string
  /** From the start of the task, without its time in the queue. */
  readonly withinMs: number
  readonly signal?: AbortSignal
}

export type TaskOutcome<R> =
  | { readonly kind: 'done'; readonly value: R }
  | { readonly kind: 'failed'; readonly why: string }
  /** It took too long, or too much memory. */
  | { readonly kind: 'too-costly'; readonly why: string }

export type Ending = TaskOutcome<unknown>['kind'] | 'stopped'

export type PoolOptions = {
  readonly entry: URL
  readonly size: number
  readonly memoryMb: number
  readonly ended?: (task: string, ending: Ending) => void
  readonly waiting?: (task: string, count: number) => void
}

type Job = {
  readonly task: string
  readonly input: () => Parcel<unknown>
  readonly withinMs: number
  readonly signal: AbortSignal
  readonly ended: (ending: Ending) => void
  readonly settle: (outcome: TaskOutcome<unknown>) => void
  readonly stop: (why: unknown) => void
}

/** A task that is no longer wanted may end by itself for this time: a new thread costs more than most tasks. */
const GRACE_MS = 2000

export function openThreadPool<T extends Tasks>(options: PoolOptions): ThreadPool<T> {
  const queue = createFairQueue<Job>()
  const threads = createThreadSet(options)
  const underWay = createCounts()
  const waiting = createCounts(options.waiting)
  const mostPerKey = Math.max(1, options.size - 1)
  const over = new AbortController()
  const next = (): void => {
    while (!over.signal.aborted && threads.isFree()) {
      const taken = queue.take((key) => underWay.get(key) < mostPerKey)
      if (taken === null) return
      waiting.add(taken.item.task, -1)
      void perform(taken.key, taken.item)
    }
  }
  const perform = async (key: string, job: Job): Promise<void> => {
    underWay.add(key, 1)
    const thread = threads.take()
    const answer = await performUntilStopped(thread, job)
    threads.giveBack(thread)
    underWay.add(key, -1)
    conclude(job, answer, over.signal)
    next()
  }
  return {
    run: async (task, input, { key, withinMs, signal = over.signal }) => {
      over.signal.throwIfAborted()
      signal.throwIfAborted()
      const { promise, resolve, reject } = Promise.withResolvers<TaskOutcome<unknown>>()
      const ended = (outcome: Ending): void => options.ended?.(task, outcome)
      const job: Job = { task, input, withinMs, signal, ended, settle: resolve, stop: reject }
      const leave = (): void => {
        if (!queue.remove(key, job)) return
        waiting.add(task, -1)
        ended('stopped')
        reject(signal.reason as Error)
      }
      signal.addEventListener('abort', leave, { once: true })
      queue.push(key, job)
      waiting.add(task, 1)
      next()
      try {
        return await promise
      } finally {
        signal.removeEventListener('abort', leave)
      }
    },
    [Symbol.asyncDispose]: async () => {
      const why = new Error('the server is stopping')
      over.abort(why)
      for (const { item } of queue.drain()) item.stop(why)
      await threads.close()
    },
  }
}

function conclude({ signal, ended, settle, stop }: Job, answer: ThreadAnswer, over: AbortSignal): void {
  const stopped = [signal, over].find(({ aborted }) => aborted)
  if (answer.kind === 'lost' && stopped !== undefined) {
    ended('stopped')
    return stop(stopped.reason)
  }
  const outcome: TaskOutcome<unknown> = answer.kind === 'lost' ? { kind: 'failed', why: answer.why } : answer
  ended(outcome.kind)
  settle(outcome)
}

function createCounts(changed: (name: string, count: number) => void = () => {}) {
  const counts = new Map<string, number>()
  const get = (name: string): number => counts.get(name) ?? 0
  return {
    get,
    add: (name: string, change: number): void => {
      const count = get(name) + change
      if (count === 0) counts.delete(name)
      else counts.set(name, count)
      changed(name, count)
    },
  }
}

async function performUntilStopped(thread: Thread, job: Job): Promise<ThreadAnswer> {
  const { task, input, withinMs, signal } = job
  let grace: NodeJS.Timeout | undefined
  const stop = (): void => {
    grace = setTimeout(() => void thread.end(), GRACE_MS)
  }
  signal.addEventListener('abort', stop, { once: true })
  try {
    return await thread.perform(task, () => (signal.aborted ? null : input()), withinMs)
  } finally {
    clearTimeout(grace)
    signal.removeEventListener('abort', stop)
  }
}
