/** Work by key, such as a node: each key has its own places, so that a slow one delays no other. */
export type Lanes = {
  /** Runs the work when its key has a place; in the order of the calls. */
  readonly run: <T>(key: string, work: () => Promise<T>) => Promise<T>
  /** Under way or waiting: of one key, or of all. */
  readonly size: (key?: string) => number
}

type Lane = { underWay: number; readonly waiting: (() => void)[] }

export function createLanes(mostAtOnce: number): Lanes {
  const lanes = new Map<string, Lane>()
  let total = 0
  const enter = async (key: string): Promise<Lane> => {
    const lane = lanes.get(key) ?? { underWay: 0, waiting: [] }
    lanes.set(key, lane)
    if (lane.underWay >= mostAtOnce) await new Promise<void>((resolve) => lane.waiting.push(resolve))
    else lane.underWay += 1
    return lane
  }
  const leave = (key: string, lane: Lane): void => {
    const next = lane.waiting.shift()
    // The place is handed over, so that nobody who comes meanwhile takes it.
    if (next !== undefined) return next()
    lane.underWay -= 1
    if (lane.underWay === 0) lanes.delete(key)
  }
  return {
    run: async (key, work) => {
      total += 1
      const lane = await enter(key)
      try {
        return await work()
      } finally {
        total -= 1
        leave(key, lane)
      }
    },
    size: (key) => {
      if (key === undefined) return total
      const lane = lanes.get(key)
      return lane === undefined ? 0 : lane.underWay + lane.waiting.length
    },
  }
}
