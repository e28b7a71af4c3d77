import type { Death } from '#/core/recorder/death.ts'
import { checkReport } from '#/core/notify/check-report.ts'
import type { Notice } from '#/core/notify/notice.ts'
import type { BlindReason, Observed } from '#/core/basics/observed.ts'
import type { WorkflowJobFacts } from '#/core/github/workflow-job-facts.ts'
import type { CheckRunOutcome, GitHub, WorkflowJob } from '#/ports/github.ts'
import type { Notifier, Sending } from '#/ports/notifier.ts'

/** The verdict as a check run at the commit of the job that was lost. */
export function checkRunNotifier(github: Pick<GitHub, 'jobs' | 'checks'>): Notifier {
  return {
    send: async (notice, signal) => {
      const { about } = notice
      const lost = findLostJob(notice)
      if (about === null || lost === null) return { kind: 'refused', why: 'no job of GitHub is known of it' }
      const { repository, id } = lost
      const job = await github.jobs.byId(repository, id, { signal })
      if (job.kind !== 'seen') return withoutJob(job)
      const { name, title, summary } = checkReport(about, toFacts(job.value))
      const url = about.deaths[0].job?.url ?? null
      const written = await github.checks.create(
        repository,
        {
          name,
          headSha: job.value.headSha,
          externalId: about.deaths[0].uid,
          status: 'completed',
          conclusion: 'neutral',
          title,
          summary,
          ...(url === null ? {} : { detailsUrl: url }),
        },
        { signal },
      )
      return toSending(written, repository)
    },
    // Permissions are granted by owner: a missing one must not block the others.
    lane: (notice) => findLostJob(notice)?.repository.split('/')[0] ?? '',
  }
}

/** Whether there is a job at GitHub to attach a check run to. */
export function hasJob({ job, repository }: Death): boolean {
  return job !== null && job.id !== null && repository !== null
}

function findLostJob({ about }: Notice): { readonly repository: string; readonly id: number } | null {
  const death = about?.deaths[0]
  const id = death?.job?.id ?? null
  if (death === undefined || id === null || death.repository === null) return null
  return { repository: death.repository, id }
}

function withoutJob(job: Exclude<Observed<WorkflowJob>, { kind: 'seen' }>): Sending {
  if (job.kind === 'none') return { kind: 'refused', why: 'the job is not at GitHub any more' }
  return blindSending(job.reason)
}

function blindSending({ code, detail }: BlindReason): Sending {
  const isPersons = code === 'forbidden' || code === 'unauthenticated'
  return isPersons ? { kind: 'paused', why: detail } : { kind: 'later', why: detail, notBefore: null }
}

function toSending(outcome: CheckRunOutcome, repository: string): Sending {
  switch (outcome.kind) {
    case 'written':
      return { kind: 'sent' }
    case 'absent':
      return { kind: 'refused', why: `${repository} does not take a check run: it or the commit is gone` }
    case 'refused':
      return { kind: 'refused', why: outcome.detail }
    case 'forbidden':
      return { kind: 'paused', why: missingRight(repository, outcome.permission ?? 'checks=write') }
    case 'rate-limited':
      return { kind: 'later', why: outcome.detail, notBefore: outcome.until }
    case 'blind':
      return blindSending(outcome.reason)
  }
}

function missingRight(repository: string, permission: string): string {
  const [owner = repository] = repository.split('/')
  return `GitHub lets us write no check run in repositories of ${owner}: give the App the permission checks: write (it says: ${permission}). A personal token cannot have it`
}

function toFacts(job: WorkflowJob): WorkflowJobFacts {
  return { ...job, runner: job.runner?.name ?? null }
}
