import { startThread } from './thread.ts'
import type { Thread } from './thread.ts'

/** A thread that has not started by then is not going to. */
const START_MS = 120_000
/** What a large task has left in the memory of a thread is given back with the thread. */
const IDLE_MS = 30_000

export type ThreadSet = {
  readonly isFree: () => boolean
  readonly take: () => Thread
  readonly giveBack: (thread: Thread) => void
  readonly close: () => Promise<void>
}

/** Started when they are needed, ended when they were not for a while. */
export function createThreadSet({
  entry,
  size,
  memoryMb,
}: {
  readonly entry: URL
  readonly size: number
  readonly memoryMb: number
}): ThreadSet {
  const all = new Set<Thread>()
  const idle = new Map<Thread, NodeJS.Timeout>()
  const retire = (thread: Thread): void => {
    idle.delete(thread)
    all.delete(thread)
    void thread.end()
  }
  const take = (): Thread => {
    const known = [...idle].at(-1)
    if (known !== undefined) {
      const [thread, timer] = known
      clearTimeout(timer)
      idle.delete(thread)
      if (!thread.hasEnded()) return thread
      all.delete(thread)
      return take()
    }
    const thread = startThread(entry, { memoryMb, startMs: START_MS })
    all.add(thread)
    return thread
  }
  return {
    isFree: () => idle.size > 0 || all.size < size,
    take,
    giveBack: (thread) => {
      if (thread.hasEnded()) all.delete(thread)
      else idle.set(thread, setTimeout(() => retire(thread), IDLE_MS).unref())
    },
    close: async () => {
      for (const timer of idle.values()) clearTimeout(timer)
      await Promise.all([...all].map((thread) => thread.end()))
    },
  }
}
