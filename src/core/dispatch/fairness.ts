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

/** What a pool declares. An owner or a repository without an entry has the weight 1 and no cap. */
export type FairnessRules = {
  /** By `OWNER` or `OWNER/REPOSITORY`; above 0. */
  readonly weights: ReadonlyMap<string, number>
  /** The most slots that it may hold in the scope, by `OWNER` or `OWNER/REPOSITORY`. */
  readonly caps: ReadonlyMap<string, number>
  /** By `OWNER/REPOSITORY` or `OWNER/REPOSITORY:WORKFLOW`; only the order within the repository follows from it. */
  readonly priorities: ReadonlyMap<string, number>
}

export const NO_RULES: FairnessRules = { weights: new Map(), caps: new Map(), priorities: new Map() }

/**
 * A job of priority n goes before jobs of its repository that were queued up to n times this much earlier. Whoever waits
 * long enough is first, so no priority starves another.
 */
export const HEAD_START_MS = 10 * 60_000

/** Which jobs may have a slot now, the first to get one first, and which wait although a slot might be free. */
export type Order = { readonly next: readonly Job[]; readonly withheld: readonly Withheld[] }
export type Withheld = { readonly job: Job; readonly cap: { readonly of: string; readonly most: number } }

/**
 * The owner with the smallest share for its weight goes first, within it the repository with the smallest share for its
 * weight, and within that the job that has waited longest, priorities included.
 *
 * The n-th slot of a holder of weight w is its turn (n - ½) / w. Giving each slot to whoever has the smallest turn is the
 * same as giving the slots out in the order of turns, so a sort per level decides the whole round.
 */
export function orderFairly(
  jobs: readonly Job[],
  held: readonly HeldShare[],
  { weights, caps, priorities }: FairnessRules = NO_RULES,
): Order {
  const byRepository = new Map(held.map(({ repository, slots }) => [repository, slots]))
  const byOwner = sumByOwner(held)
  const within = jobs.toSorted(byWaiting(priorities))
  const ofRepository = takeTurns(within, {
    held: byRepository,
    nameHolder: ({ repository }) => repository,
    weights,
    caps,
  })
  const ofOwner = takeTurns(ofRepository.next, { held: byOwner, nameHolder: nameOwner, weights, caps })
  return { next: ofOwner.next, withheld: [...ofRepository.withheld, ...ofOwner.withheld] }
}

export function chooseFairly(rules: FairnessRules = NO_RULES): Choose {
  return ({ jobs, slots, held }) => {
    const { next } = orderFairly(jobs, held, rules)
    return slots.flatMap((slot, index) => {
      const job = next[index]
      return job === undefined ? [] : [{ job: job.id, slot: slot.uid }]
    })
  }
}

type Level = Pick<FairnessRules, 'weights' | 'caps'> & {
  readonly held: ReadonlyMap<string, number>
  readonly nameHolder: (job: Job) => string
}

/** The jobs of each holder keep their order. */
function takeTurns(jobs: readonly Job[], { held, nameHolder, weights, caps }: Level): Order {
  const taken = new Map(held)
  const turns: { readonly turn: number; readonly place: number; readonly job: Job }[] = []
  const withheld: Withheld[] = []
  for (const [place, job] of jobs.entries()) {
    const holder = nameHolder(job)
    const count = taken.get(holder) ?? 0
    const most = caps.get(holder)
    if (most !== undefined && count >= most) {
      withheld.push({ job, cap: { of: holder, most } })
      continue
    }
    taken.set(holder, count + 1)
    turns.push({ turn: (count + 0.5) / (weights.get(holder) ?? 1), place, job })
  }
  turns.sort((a, b) => a.turn - b.turn || a.place - b.place)
  return { next: turns.map(({ job }) => job), withheld }
}

export function nameOwner({ repository }: Pick<Job, 'repository'>): string {
  return repository.slice(0, Math.max(0, repository.indexOf('/'))) || repository
}

function sumByOwner(held: readonly HeldShare[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>()
  for (const share of held) {
    const owner = nameOwner(share)
    sums.set(owner, (sums.get(owner) ?? 0) + share.slots)
  }
  return sums
}

function byWaiting(priorities: FairnessRules['priorities']): (a: Job, b: Job) => number {
  const since = ({ repository, workflow, queuedAt }: Job): number => {
    const priority = priorities.get(`${repository}:${workflow}`) ?? priorities.get(repository) ?? 0
    return queuedAt - priority * HEAD_START_MS
  }
  return (a, b) => since(a) - since(b) || a.id - b.id
}
