export type Draw = {
  readonly chance: (probability: number) => boolean
  readonly pick: <T>(from: readonly [T, ...T[]] | readonly T[]) => T
}

/** The same seed draws the same. */
export function seededDraw(seed: number): Draw {
  let state = Math.imul(seed, 0x9e_37_79_b1) >>> 0
  const next = (): number => {
    state = (state + 0x6d_2b_79_f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    chance: (probability) => next() < probability,
    pick: (from) => {
      const [one] = from.slice(Math.floor(next() * from.length))
      if (one === undefined) throw new Error('there is nothing to draw from')
      return one
    },
  }
}

type Waiting = { readonly go: () => void; readonly process: symbol }

export type Turn = (call: string) => Promise<void>

/** Everything that can run without another turn has run. */
const untilQuiet = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

/** Owns the order of every call: one process runs at a time, and who goes next is drawn. */
export class Scheduler {
  readonly #draw: Draw
  readonly #waiting: Waiting[] = []
  #running = 0
  #yielded: () => void = () => undefined
  #failure: unknown = null

  constructor(draw: Draw) {
    this.#draw = draw
  }

  start(process: (turn: Turn) => Promise<void>): void {
    this.#running += 1
    const own = Symbol('process')
    const turn: Turn = async () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#waiting.push({ go: resolve, process: own })
      this.#yielded()
      await promise
    }
    const live = async (): Promise<void> => {
      await turn('start')
      await process(turn)
    }
    void live()
      .catch((error: unknown) => {
        this.#failure = error
      })
      .finally(() => {
        this.#running -= 1
        this.#yielded()
      })
  }

  async run(): Promise<void> {
    while (this.#running > 0) {
      const one = this.#draw.pick(this.#waiting)
      this.#waiting.splice(this.#waiting.indexOf(one), 1)
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#yielded = resolve
      one.go()
      // A process that calls several ports at once may have nothing more to ask for after one of them.
      const isOneOfMany = this.#waiting.some(({ process }) => process === one.process)
      await (isOneOfMany ? Promise.race([promise, untilQuiet()]) : promise)
    }
    if (this.#failure !== null) throw new Error('a process failed', { cause: this.#failure })
  }
}
