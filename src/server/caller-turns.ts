export type Turn = { readonly end: () => void }

/** Why there is none: the caller went, or too many wait. */
export type NoTurn = 'gone' | 'too-many'

export type TurnLimits = {
  /** Requests that are worked on at the same time: of all callers, and of one. */
  readonly mostAtOnce: number
  readonly mostAtOnceOfCaller: number
  readonly mostWaiting: number
  readonly mostWaitingOfCaller: number
}

/** Then one request at a time, with pauses: callers get a tenth of the time, and the recorder the rest. */
const PAUSE_PER_MS = 9
const LEAST_PAUSE_MS = 20
const MOST_PAUSE_MS = 1000
/** Those who wait hold memory, and would be answered one by one when the strain is over. */
const MOST_WAITING_STRAINED = 8

type Waiter = { readonly start: () => void; readonly refuse: () => void }
type Caller = {
  underWay: number
  /** By count of turns; 0 is never. */ servedAt: number
  readonly waiting: Set<Waiter>
}

/**
 * Turns of requests. The next one is of the caller with the fewest under way, of several the one that was served longest ago:
 * a caller with many requests delays its own.
 */
export class CallerTurns {
  readonly #limits: TurnLimits
  readonly #isStrained: () => boolean
  readonly #callers = new Map<string, Caller>()
  #underWay = 0
  #waiting = 0
  #begun = 0
  #isPausing = false

  constructor(limits: TurnLimits, isStrained: () => boolean) {
    this.#limits = limits
    this.#isStrained = isStrained
  }

  async take(name: string, signal: AbortSignal): Promise<Turn | NoTurn> {
    if (signal.aborted) return 'gone'
    const one = this.#callers.get(name) ?? { underWay: 0, servedAt: 0, waiting: new Set<Waiter>() }
    this.#callers.set(name, one)
    if (this.#next() === null && this.#mayStart(one)) return this.#begin(name, one)
    if (this.#makeRoom(one)) return this.#wait(name, one, signal)
    this.#forgetIdle(name, one)
    return 'too-many'
  }

  #mayStart(one: Caller): boolean {
    const { mostAtOnce, mostAtOnceOfCaller } = this.#limits
    if (this.#isPausing || one.underWay >= mostAtOnceOfCaller) return false
    return this.#underWay === 0 || (this.#underWay < mostAtOnce && !this.#isStrained())
  }

  #next(): Waiter | null {
    return pickNext(this.#callers.values().filter((one) => this.#mayStart(one)))
  }

  #begin(name: string, one: Caller): Turn {
    const begunAt = performance.now()
    this.#underWay += 1
    this.#begun += 1
    one.underWay += 1
    one.servedAt = this.#begun
    return { end: () => this.#end(name, one, performance.now() - begunAt) }
  }

  #end(name: string, one: Caller, tookMs: number): void {
    this.#underWay -= 1
    one.underWay -= 1
    this.#forgetIdle(name, one)
    if (!this.#isStrained()) this.#next()?.start()
    else if (!this.#isPausing) this.#pause(Math.min(MOST_PAUSE_MS, Math.max(LEAST_PAUSE_MS, tookMs * PAUSE_PER_MS)))
  }

  #pause(ms: number): void {
    this.#isPausing = true
    setTimeout(() => {
      this.#isPausing = false
      this.#next()?.start()
    }, ms)
  }

  /** Where the queue is full, the last one who came of the caller that waits most makes room for a caller that waits less. */
  #makeRoom(one: Caller): boolean {
    const { mostWaiting, mostWaitingOfCaller } = this.#limits
    const strained = this.#isStrained() ? MOST_WAITING_STRAINED : Infinity
    if (one.waiting.size >= Math.min(mostWaitingOfCaller, strained)) return false
    if (this.#waiting < Math.min(mostWaiting, strained)) return true
    const all = [...this.#callers.values()]
    const greediest = all.reduce((a, b) => (b.waiting.size > a.waiting.size ? b : a), one)
    if (greediest.waiting.size <= one.waiting.size + 1) return false
    ;[...greediest.waiting].at(-1)?.refuse()
    return true
  }

  #wait(name: string, one: Caller, signal: AbortSignal): Promise<Turn | NoTurn> {
    return new Promise((resolve) => {
      const leave = (): void => {
        one.waiting.delete(waiter)
        this.#waiting -= 1
        signal.removeEventListener('abort', go)
      }
      const go = (): void => {
        leave()
        this.#forgetIdle(name, one)
        resolve('gone')
      }
      const waiter: Waiter = {
        start: () => {
          leave()
          resolve(this.#begin(name, one))
          // More may be free again after a time in which only one was.
          this.#next()?.start()
        },
        refuse: () => {
          leave()
          resolve('too-many')
        },
      }
      one.waiting.add(waiter)
      this.#waiting += 1
      signal.addEventListener('abort', go, { once: true })
    })
  }

  #forgetIdle(name: string, one: Caller): void {
    if (one.underWay === 0 && one.waiting.size === 0) this.#callers.delete(name)
  }
}

/** The first who waits, of the caller with the fewest under way. */
function pickNext(callers: Iterable<Caller>): Waiter | null {
  let next: Caller | null = null
  for (const one of callers) if (one.waiting.size > 0 && (next === null || isBefore(one, next))) next = one
  const [first] = next?.waiting ?? []
  return first ?? null
}

function isBefore(a: Caller, b: Caller): boolean {
  return a.underWay === b.underWay ? a.servedAt < b.servedAt : a.underWay < b.underWay
}
