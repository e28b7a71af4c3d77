import type { RecordedJob } from '#/core/github/recorded-job.ts'
import type { Clock } from '#/ports/clock.ts'
import type { GitHub } from '#/ports/github.ts'

/** A runner that ended well, with the run that it had a job of. */
export type CleanEnd = {
  readonly runner: string
  readonly endedAt: number
  readonly job: RecordedJob | null
  /** Of what is kept for the time in which it may be reopened. */
  readonly bytes: number
  /** GitHub still has the job in progress: the end is to be judged again, with all sources. */
  readonly reopen: () => void
}

/** Clean ends that GitHub may not have noticed: each is looked up once, a minute later. */
export type CleanEnds = {
  readonly hold: (end: CleanEnd) => void
  /** Looks up those that are due, until the signal. */
  readonly run: (signal: AbortSignal) => Promise<void>
}

export type CleanEndMeans = {
  readonly github: Pick<GitHub, 'jobs' | 'access'> | null
  readonly clock: Clock
}

/** GitHub closes a job within seconds of the runner's report, and its list may lag behind by some. */
const LOOK_AFTER_MS = 75_000
const LOOK_EVERY_MS = 5000
/** Beyond that the oldest are not looked up. */
const MOST_BYTES = 16 * 1024 * 1024
/** The recorder leaves the rest of GitHub's budget to those that need it more. */
const LEAST_BUDGET = 0.2
const REPOSITORY = /^[\w.-]{1,100}\/[\w.-]{1,100}$/

export function createCleanEnds({ github, clock }: CleanEndMeans): CleanEnds {
  const held: CleanEnd[] = []
  const countBytes = (): number => held.reduce((sum, { bytes }) => sum + bytes, 0)
  const isDue = (): boolean => held[0] !== undefined && clock.now() - held[0].endedAt >= LOOK_AFTER_MS
  return {
    hold: (end) => {
      if (github === null || runKey(end) === null) return
      held.push(end)
      while (countBytes() > MOST_BYTES) held.shift()
    },
    run: async (signal) => {
      while (!signal.aborted) {
        const due: CleanEnd[] = []
        for (; isDue();) due.push(...held.splice(0, 1))
        if (github !== null && due.length > 0 && hasBudget(github, clock.now())) await lookUp(due, { github, signal })
        await clock.sleep(LOOK_EVERY_MS, signal)
      }
    },
  }
}

function runKey({ job }: CleanEnd): string | null {
  if (job === null || job.runId === null || job.repository === null || !REPOSITORY.test(job.repository)) return null
  return `${job.repository} ${job.runId}`
}

function hasBudget({ access }: Pick<GitHub, 'access'>, now: number): boolean {
  return access
    .budgets()
    .every(({ remaining, limit, heldUntil, resetAt }) =>
      heldUntil !== null && heldUntil > now ? false : remaining >= limit * LEAST_BUDGET || resetAt <= now,
    )
}

type Looking = { readonly github: Pick<GitHub, 'jobs'>; readonly signal: AbortSignal }

/** One request for all runners of a run. */
async function lookUp(due: readonly CleanEnd[], { github, signal }: Looking): Promise<void> {
  for (const ends of Map.groupBy(due, runKey).values()) {
    const { repository = null, runId = null } = ends[0]?.job ?? {}
    if (repository === null || runId === null || signal.aborted) continue
    const jobs = await github.jobs.ofRun(repository, runId, { signal })
    if (jobs.kind !== 'seen') continue
    const open = new Set(
      jobs.value.flatMap(({ status, runner }) => (status === 'in_progress' && runner !== null ? [runner.name] : [])),
    )
    for (const end of ends) if (open.has(end.runner)) end.reopen()
  }
}
