import type { Job } from '#/core/dispatch/job.ts'

/** The queued jobs of each scope and repository, oldest first: what the partial index is to PostgreSQL. */
export class Queue {
  readonly #scopes = new Map<string, Map<string, Job[]>>()

  add(job: Job): void {
    const waiting = this.#repository(job)
    waiting.splice(countAhead(job, waiting), 0, job)
  }

  remove(job: Job): void {
    const waiting = this.#repository(job)
    waiting.splice(countAhead(job, waiting), 1)
    if (waiting.length === 0) this.#scopes.get(job.scope)?.delete(job.repository)
  }

  /** The oldest due job of each repository, then the second of each, and so on up to the limit; returned oldest first. */
  inTurns(request: {
    readonly scope: string
    readonly at: number
    readonly perRepository: number
    readonly limit: number
  }): readonly Job[] {
    const turns: { readonly turn: number; readonly job: Job }[] = []
    for (const waiting of this.#scopes.get(request.scope)?.values() ?? []) {
      const due = firstDue(waiting, request.at, request.perRepository)
      for (const [turn, job] of due.entries()) turns.push({ turn, job })
    }
    turns.sort((a, b) => a.turn - b.turn || byWaiting(a.job, b.job))
    const taken = turns.slice(0, request.limit).map(({ job }) => job)
    return taken.sort(byWaiting)
  }

  #repository(job: Job): Job[] {
    const scope = getOrAdd(this.#scopes, job.scope, () => new Map<string, Job[]>())
    return getOrAdd(scope, job.repository, () => [])
  }
}

export function byWaiting(a: Job, b: Job): number {
  return a.queuedAt - b.queuedAt || a.id - b.id
}

function firstDue(waiting: readonly Job[], at: number, count: number): readonly Job[] {
  const due: Job[] = []
  for (const job of waiting) {
    if (due.length === count) break
    if (job.state === 'queued' && job.notBefore <= at) due.push(job)
  }
  return due
}

function countAhead(job: Job, waiting: readonly Job[]): number {
  let low = 0
  let high = waiting.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const other = waiting[middle]
    if (other !== undefined && byWaiting(other, job) < 0) low = middle + 1
    else high = middle
  }
  return low
}

function getOrAdd<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const existing = map.get(key)
  if (existing !== undefined) return existing
  const made = make()
  map.set(key, made)
  return made
}
