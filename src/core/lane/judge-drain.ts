import { describeReason } from '#/core/basics/observed.ts'
import type { Observed } from '#/core/basics/observed.ts'
import type { RunnerRecord } from '#/core/fleet/scale-set.ts'
import { describeJob } from '#/core/github/recorded-job.ts'

/** By its name at GitHub. */
export type GitHubBusy = { readonly name: string; readonly busy: boolean }

export type Drain =
  | { readonly kind: 'drained'; readonly why: string }
  | { readonly kind: 'working'; readonly jobs: readonly string[]; readonly why: string }
  /** No job is known, and it cannot be proved that there is none. */
  | { readonly kind: 'blind'; readonly why: string }

/** They have ended, and ARC has removed them at GitHub. */
const ENDED: ReadonlySet<string | null> = new Set(['Failed', 'Succeeded', 'Outdated'])

/**
 * Whether the last job of a quiesced set has ended. ARC writes the job of a runner through the listener, which has just been
 * replaced: a runner without a job on record may have one, and only GitHub knows. Without any runner there is no job.
 */
export function judgeDrain(runners: Observed<readonly RunnerRecord[]>, github: Observed<readonly GitHubBusy[]>): Drain {
  if (runners.kind === 'blind')
    return { kind: 'blind', why: `EphemeralRunners could not be read: ${describeReason(runners.reason)}` }
  const live =
    runners.kind === 'none' ? [] : runners.value.filter(({ phase, job }) => job !== null || !ENDED.has(phase))
  if (live.length === 0) return { kind: 'drained', why: 'no runner of the set is left' }
  const busy = new Set(github.kind === 'seen' ? github.value.filter((row) => row.busy).map(({ name }) => name) : [])
  const jobs = live.flatMap(({ name, runnerName, job }) => {
    if (job !== null) return [`${name}: ${describeJob(job)}`]
    return busy.has(runnerName) ? [`${name}: busy at GitHub`] : []
  })
  if (jobs.length > 0) return { kind: 'working', jobs, why: `${jobs.length} of ${live.length} runners work` }
  const left = `${live.length} ${live.length === 1 ? 'runner is' : 'runners are'} left without a job on record`
  if (github.kind === 'blind')
    return { kind: 'blind', why: `${left}, and GitHub could not be asked: ${describeReason(github.reason)}` }
  return { kind: 'drained', why: `${left}, and none is busy at GitHub` }
}
