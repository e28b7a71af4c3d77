import { z } from 'zod'
import type { Happening } from '#/core/dispatch/assignment.ts'
import type { JobFacts } from '#/core/dispatch/job.ts'
import type { WorkflowJob } from '#/ports/github.ts'
import { readJson } from '#/adapters/github/http/read-json.ts'
import { jobSchema } from './schemas.ts'

export type WebhookReading =
  | { readonly kind: 'happening'; readonly happening: Happening }
  | { readonly kind: 'ignored'; readonly why: string }
  | { readonly kind: 'malformed'; readonly why: string }

/** Which slots may run a job with these labels; null where the job is not ours. */
export type ScopeOf = (labels: readonly string[]) => string | null

const workflowJobSchema = z.object({
  workflow_job: jobSchema,
  repository: z.object({ full_name: z.string().min(3).max(200) }),
})

/** What a `workflow_job` webhook says happened. The signature was checked on the same bytes. */
export function readWorkflowJobEvent(
  body: Uint8Array,
  options: { readonly scopeOf: ScopeOf; readonly receivedAt: number },
): WebhookReading {
  const json = readJson(Buffer.from(body).toString('utf8'))
  if (json === undefined) return { kind: 'malformed', why: 'the payload is not JSON' }
  const parsed = workflowJobSchema.safeParse(json)
  if (!parsed.success) {
    const place = parsed.error.issues[0]?.path.join('.') ?? ''
    return { kind: 'malformed', why: `the payload has another shape at ${place === '' ? 'its top' : place}` }
  }
  const job = { ...parsed.data.workflow_job, repository: parsed.data.repository.full_name }
  const scope = options.scopeOf(job.labels)
  return scope === null
    ? { kind: 'ignored', why: 'no scope serves the labels of the job' }
    : readHappening(job, scope, options.receivedAt)
}

/**
 * The status decides, not the webhook's action: GitHub sends `action: queued` with `status: waiting` for a job that an
 * environment holds back. A runner for such a job would wait for an approval that may never come; it is announced again,
 * or found by the scan of queued jobs, when it is let go.
 *
 * Times are GitHub's, so that a delivery says the same whenever it is replayed; a time in our future is not believed.
 */
export function readHappening(job: WorkflowJob, scope: string, receivedAt: number): WebhookReading {
  const at = (time: number | null): number => Math.min(time ?? receivedAt, receivedAt)
  const facts = toJobFacts(job, scope, at(job.createdAt ?? job.startedAt))
  const { runner } = job
  switch (job.status) {
    case 'queued':
      return happens({ kind: 'job-queued', at: facts.queuedAt, facts })
    case 'in_progress':
      return runner === null
        ? { kind: 'ignored', why: 'the job is in progress and names no runner' }
        : happens({ kind: 'job-started', at: at(job.startedAt), facts, runner })
    case 'completed': {
      const conclusion = job.conclusion ?? 'unknown'
      return happens({ kind: 'job-completed', at: at(job.completedAt), facts, runner, conclusion })
    }
    case 'waiting':
    case 'pending':
    case 'requested':
    case 'unknown':
      return { kind: 'ignored', why: `a job with the status ${job.status} cannot run yet` }
  }
}

function happens(happening: Happening): WebhookReading {
  return { kind: 'happening', happening }
}

function toJobFacts(job: WorkflowJob, scope: string, queuedAt: number): JobFacts {
  const { id, runId, runAttempt, repository, name, labels } = job
  return { id, runId, runAttempt, repository, workflow: job.workflow ?? '', name, labels, scope, queuedAt }
}
