import { at, numberAt, textAt } from '#/core/basics/fields.ts'

/** The job of a runner as ARC's record tells of it, without a question to GitHub. */
export type RecordedJob = {
  /** The service's own; REST does not know it. */
  readonly id: string | null
  /** As people see it, with its matrix. */
  readonly name: string | null
  /** OWNER/NAME */
  readonly repository: string | null
  /** OWNER/NAME/PATH@REF */
  readonly workflow: string | null
  readonly runId: number | null
  /** Of the run: the record has no number of the job that GitHub would know. */
  readonly url: string | null
}

/** Versions differ in which fields say that there was a job; any of them will do. Null where none does. */
export function recordedJob(record: unknown): RecordedJob | null {
  const status = at(record, 'status')
  const known = {
    id: textAt(status, 'jobId'),
    name: textAt(status, 'jobDisplayName'),
    repository: textAt(status, 'jobRepositoryName'),
    workflow: textAt(status, 'jobWorkflowRef'),
    runId: positive(numberAt(status, 'workflowRunId')),
  }
  // Whoever has a job must not be taken for idle because a number came as a text.
  const request = positive(Number(at(status, 'jobRequestId') ?? 0))
  if ([...Object.values(known), request].every((one) => one === null)) return null
  return { ...known, url: urlOf(known, textAt(record, 'spec', 'githubConfigUrl')) }
}

function positive(number: number | null): number | null {
  return number !== null && Number.isSafeInteger(number) && number > 0 ? number : null
}

const REPOSITORY = /^[\w.-]{1,100}\/[\w.-]{1,100}$/

function urlOf(
  { repository, runId }: Pick<RecordedJob, 'repository' | 'runId'>,
  configUrl: string | null,
): string | null {
  if (repository === null || !REPOSITORY.test(repository) || runId === null || !URL.canParse(configUrl ?? ''))
    return null
  const { protocol, host } = new URL(configUrl ?? '')
  return protocol === 'https:' || protocol === 'http:'
    ? `${protocol}//${host}/${repository}/actions/runs/${runId}`
    : null
}

/** 'job "build" of acme/app', as far as the record tells. */
export function jobInWords({ name, repository }: Pick<RecordedJob, 'name' | 'repository'>): string {
  const which = name === null ? 'a job' : `job "${name}"`
  return repository === null ? which : `${which} of ${repository}`
}
