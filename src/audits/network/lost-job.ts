import type { FleetJob } from '#/core/fleet/github-facts.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'

/** A job that ended because its runner went away, with what shows it. */
export type LostJob = FleetJob & { readonly runner: string; readonly completedAt: number; readonly how: string }

/** GitHub lost the runner, or the runner said goodbye: what the annotations of such a job say. */
const GONE =
  /lost communication with the server|received a shutdown signal|Operating system is shutting down|runner has been shut down|runner was (?:removed|deleted)/i

export function lostJobs({ jobs, snapshot }: Fleet): readonly LostJob[] {
  const { annotations } = snapshot.github
  const said = new Map((annotations?.kind === 'seen' ? annotations.value : []).map((one) => [one.job, one.messages]))
  return jobs.flatMap((job) => {
    const { status, conclusion, runner, completedAt, id } = job
    const hasFailed = conclusion === 'failure' || conclusion === 'cancelled'
    if (status !== 'completed' || !hasFailed || runner === null || completedAt === null) return []
    const message = said.get(id ?? 0)?.find((text) => GONE.test(text))
    const how = message === undefined ? describeSteps(job) : `GitHub says of its job ${id}: ${message}`
    return how === null ? [] : [Object.assign({}, job, { runner, completedAt, how })]
  })
}

/** GitHub gave up the job: it is completed, but some of its steps are not, or it failed before the first one. */
function describeSteps({ id, steps, conclusion }: FleetJob): string | null {
  const isLost = steps.length === 0 ? conclusion === 'failure' : steps.some((step) => step.status !== 'completed')
  return isLost ? `its job ${id} was lost` : null
}
