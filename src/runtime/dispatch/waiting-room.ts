import { setImmediate } from 'node:timers/promises'
import type { Claim } from '#/core/dispatch/claims.ts'
import type { PodRefusal } from '#/core/pools/pod-standing.ts'
import type { Clock } from '#/ports/clock.ts'
import type { Log } from '#/ports/log.ts'
import { StoreUnavailable } from '#/ports/store/store-unavailable.ts'

/** How a wait ends. */
export type Waited =
  /** Call `done` when the runner was minted, or was not: claims are made only for what can be minted now. */
  | { readonly kind: 'claimed'; readonly claim: Claim; readonly done: () => void }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'refused'; readonly reason: PodRefusal }
  | { readonly kind: 'store-unavailable' }
  /** The caller went. */
  | { readonly kind: 'left' }
  | { readonly kind: 'full' }

export type Wait = {
  readonly scope: string
  readonly slot: string
  readonly forMs: number
  readonly signal: AbortSignal
  /** Looked at again before each round: a pod can be drained while it waits. */
  readonly refusal: () => PodRefusal | null
}

export type WaitingRoom = {
  readonly wait: (wait: Wait) => Promise<Waited>
  /** Something may have changed in the scope; `*` is each of them. */
  readonly wake: (scope: string) => void
  readonly countWaiting: () => ReadonlyMap<string, number>
  /** Looks again now and then, and ends the waits that are over; after the signal it ends all. */
  readonly run: (signal: AbortSignal) => Promise<void>
}

export type WaitingRoomMeans = {
  readonly clock: Clock
  /** One round: claims for some of these slots, or none. */
  readonly match: (scope: string, slots: readonly string[]) => Promise<readonly Claim[]>
  /** A claim for a slot whose pod has just left. */
  readonly giveBack: (claim: Claim) => Promise<void>
  readonly log: Pick<Log, 'error'>
  readonly limits?: Partial<RoomLimits>
}

export type RoomLimits = {
  readonly mostWaiting: number
  /** Of one round. */
  readonly mostOffered: number
  /** Claims whose runner is not minted yet. GitHub takes at most 100 requests at the same time. */
  readonly mostInHand: number
}

export const EVERY_SCOPE = '*'
/** A wake-up can be lost, and nobody calls when the back-off of a job is over. */
const LOOK_AGAIN_MS = 1000
const DEFAULTS: RoomLimits = { mostWaiting: 20_000, mostOffered: 500, mostInHand: 64 }

type Waiter = Wait & { readonly until: number; readonly end: (waited: Waited) => void }

type Scope = {
  readonly name: string
  /** By slot; who waits longest is first. */
  readonly waiters: Map<string, Waiter>
  matching: Promise<void> | null
  /** Something came up since the last round began. */
  mustLook: boolean
  /** The last round had no job for some, and nothing came up since: who comes now needs no round of its own. */
  isQuiet: boolean
}

/** Where pods wait for a job. It has one round of matching at a time for each scope, which serves all who wait then. */
export function createWaitingRoom(means: WaitingRoomMeans): WaitingRoom {
  const room = new Room(means)
  return {
    wait: async (wait) => await room.wait(wait),
    wake: (scope) => room.wake(scope),
    countWaiting: () => room.countWaiting(),
    run: async (signal) => await room.run(signal),
  }
}

class Room {
  readonly #means: WaitingRoomMeans
  readonly #limits: RoomLimits
  readonly #scopes = new Map<string, Scope>()
  #waiting = 0
  #inHand = 0
  /** A round could offer nobody. */
  #isShort = false
  #isClosed = false

  constructor(means: WaitingRoomMeans) {
    this.#means = means
    this.#limits = { ...DEFAULTS, ...means.limits }
  }

  wait(wait: Wait): Promise<Waited> {
    if (wait.signal.aborted) return Promise.resolve({ kind: 'left' })
    if (this.#isClosed) return Promise.resolve(NOTHING)
    if (this.#waiting >= this.#limits.mostWaiting) return Promise.resolve({ kind: 'full' })
    return new Promise((resolve) => {
      const leave = (): void => waiter.end({ kind: 'left' })
      const waiter: Waiter = {
        ...wait,
        until: this.#means.clock.now() + wait.forMs,
        end: (waited) => {
          if (!this.#remove(waiter)) return
          wait.signal.removeEventListener('abort', leave)
          resolve(waited)
        },
      }
      this.#add(waiter)
      wait.signal.addEventListener('abort', leave, { once: true })
    })
  }

  wake(name: string): void {
    for (const scope of name === EVERY_SCOPE ? this.#scopes.values() : [this.#scopes.get(name)]) {
      if (scope === undefined) continue
      scope.isQuiet = false
      this.#look(scope)
    }
  }

  countWaiting(): ReadonlyMap<string, number> {
    return new Map([...this.#scopes.values()].map(({ name, waiters }) => [name, waiters.size]))
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#means.clock.sleep(LOOK_AGAIN_MS, signal)
      for (const scope of this.#scopes.values()) this.#lookAgain(scope)
    }
    this.#isClosed = true
    for (const scope of this.#scopes.values()) {
      await scope.matching
      for (const waiter of scope.waiters.values()) waiter.end(NOTHING)
    }
  }

  #lookAgain(scope: Scope): void {
    // Those of a round may have a claim by now, which would have to go back.
    if (scope.matching === null) this.#endOverdue(scope)
    if (scope.waiters.size > 0) this.#look(scope)
    else if (scope.matching === null) this.#scopes.delete(scope.name)
  }

  #add(waiter: Waiter): void {
    const name = waiter.scope
    const scope = this.#scopes.get(name) ?? emptyScope(name)
    this.#scopes.set(name, scope)
    // The pod asked again: it does not read the earlier answer.
    scope.waiters.get(waiter.slot)?.end({ kind: 'left' })
    scope.waiters.set(waiter.slot, waiter)
    this.#waiting += 1
    if (!scope.isQuiet || waiter.forMs === 0) this.#look(scope)
  }

  #remove(waiter: Waiter): boolean {
    const waiters = this.#scopes.get(waiter.scope)?.waiters
    if (waiters?.get(waiter.slot) !== waiter) return false
    waiters.delete(waiter.slot)
    this.#waiting -= 1
    return true
  }

  #look(scope: Scope): void {
    if (scope.waiters.size === 0 || this.#isClosed) return
    scope.mustLook = true
    scope.matching ??= this.#matchWhileAsked(scope)
  }

  async #matchWhileAsked(scope: Scope): Promise<void> {
    // Whoever comes in the same moment is in the same round.
    await setImmediate()
    while (scope.mustLook && !this.#isClosed) {
      scope.mustLook = false
      await this.#match(scope)
      this.#endOverdue(scope)
    }
    scope.matching = null
  }

  async #match(scope: Scope): Promise<void> {
    const offered = this.#offer(scope)
    if (offered.length === 0) return
    try {
      const slots = offered.map(({ slot }) => slot)
      const claims = await this.#means.match(scope.name, slots)
      for (const claim of claims) this.#give(scope, claim)
      // Where each of them got a job, there may be one for those who were not offered.
      if (claims.length === offered.length) scope.mustLook = true
      else scope.isQuiet = !scope.mustLook
    } catch (error) {
      // A claim may have been made: only the store can say, when they ask again.
      for (const waiter of offered) waiter.end({ kind: 'store-unavailable' })
      if (error instanceof StoreUnavailable) return
      this.#means.log.error('a round of matching failed', {
        scope: scope.name,
        why: error instanceof Error ? error.message : String(error),
      })
    }
  }

  #offer({ waiters }: Scope): readonly Waiter[] {
    const most = Math.min(this.#limits.mostOffered, this.#limits.mostInHand - this.#inHand)
    const offered: Waiter[] = []
    if (most <= 0) this.#isShort = true
    for (const waiter of waiters.values()) {
      if (offered.length >= most) break
      const reason = waiter.refusal()
      if (reason === null) offered.push(waiter)
      else waiter.end({ kind: 'refused', reason })
    }
    return offered
  }

  #give(scope: Scope, claim: Claim): void {
    this.#inHand += 1
    let isDone = false
    const done = (): void => {
      if (isDone) return
      isDone = true
      this.#inHand -= 1
      if (!this.#isShort) return
      this.#isShort = false
      this.wake(EVERY_SCOPE)
    }
    const waiter = scope.waiters.get(claim.slot.uid)
    if (waiter === undefined) void this.#means.giveBack(claim).finally(done)
    else waiter.end({ kind: 'claimed', claim, done })
  }

  #endOverdue({ waiters }: Scope): void {
    const now = this.#means.clock.now()
    // One that would wait longer than it asked for: the clock was set back.
    const isOver = ({ until, forMs }: Waiter): boolean => until <= now || until - now > forMs
    for (const waiter of waiters.values()) if (isOver(waiter)) waiter.end(NOTHING)
  }
}

function emptyScope(name: string): Scope {
  return { name, waiters: new Map(), matching: null, mustLook: false, isQuiet: false }
}

const NOTHING: Waited = { kind: 'nothing' }
