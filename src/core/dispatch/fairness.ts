import type { Job } from './job.ts'
import type { Slot } from './slot.ts'

/** The candidates of one round of matching: waiting jobs and waiting slots of one scope. */
export type Candidates = {
  readonly jobs: readonly Job[]
  readonly slots: readonly Slot[]
  readonly held: readonly HeldShare[]
}

/** How many jobs of a repository hold a slot of the scope (claimed, minted or executing): what fairness and caps count. */
export type HeldShare = { readonly repository: string; readonly slots: number }

export type Pair = { readonly job: number; readonly slot: string }

export type Choose = (candidates: Candidates) => readonly Pair[]

/** The most slots that a repository may hold in the scope; Infinity without a cap. */
export type RepositoryCap = (repository: string) => number

/**
 * The repository that holds the fewest slots goes first, and within it the job that has waited longest.
 *
 * A repository's n-th job of the round is its turn `held + n`. Giving each slot to the repository with the smallest share
 * is the same as giving the slots out in the order of turns, so one sort decides the whole round.
 */
export function chooseFairly(repositoryCap: RepositoryCap = () => Infinity): Choose {
  return ({ jobs, slots, held }) => {
    const turns = listTurns(jobs, held).filter(({ turn, job }) => turn < repositoryCap(job.repository))
    turns.sort((a, b) => a.turn - b.turn || byWaiting(a.job, b.job))
    return pairUp(turns, slots)
  }
}

type Turn = { readonly turn: number; readonly job: Job }

function listTurns(jobs: readonly Job[], held: readonly HeldShare[]): Turn[] {
  const next = new Map(held.map(({ repository, slots }) => [repository, slots]))
  return jobs.toSorted(byWaiting).map((job) => {
    const turn = next.get(job.repository) ?? 0
    next.set(job.repository, turn + 1)
    return { turn, job }
  })
}

function pairUp(turns: readonly Turn[], slots: readonly Slot[]): readonly Pair[] {
  const pairs: Pair[] = []
  for (const [index, slot] of slots.entries()) {
    const turn = turns[index]
    if (turn === undefined) break
    pairs.push({ job: turn.job.id, slot: slot.uid })
  }
  return pairs
}

function byWaiting(a: Job, b: Job): number {
  return a.queuedAt - b.queuedAt || a.id - b.id
}
