/** Bounded in work at once and in work that waits; `push` returns `full` beyond that. */
export type WorkQueue = {
  readonly push: (work: () => Promise<void>) => 'taken' | 'full'
  readonly size: () => number
  /** Without a place yet. */
  readonly waiting: () => number
  /** When nothing is under way or waits. */
  readonly idle: () => Promise<void>
}

export function createWorkQueue(
  { mostAtOnce, mostWaiting }: { readonly mostAtOnce: number; readonly mostWaiting: number },
  onFault: (error: unknown) => void,
): WorkQueue {
  const waiting: (() => Promise<void>)[] = []
  let sleepers: (() => void)[] = []
  let underWay = 0
  const next = (): void => {
    while (underWay < mostAtOnce) {
      const work = waiting.shift()
      if (work === undefined) break
      underWay += 1
      void perform(work)
    }
    if (underWay > 0 || waiting.length > 0) return
    for (const wake of sleepers) wake()
    sleepers = []
  }
  const perform = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work()
    } catch (error) {
      onFault(error)
    }
    underWay -= 1
    next()
  }
  return {
    push: (work) => {
      if (waiting.length >= mostWaiting) return 'full'
      waiting.push(work)
      next()
      return 'taken'
    },
    size: () => waiting.length + underWay,
    waiting: () => waiting.length,
    idle: () =>
      underWay + waiting.length === 0
        ? Promise.resolve()
        : new Promise((resolve) => {
            sleepers.push(resolve)
          }),
  }
}
