import { at, numberAt, textAt } from '#/core/basics/fields.ts'

/** The job of a runner as ARC's record has it, without a request to GitHub. */
export type RecordedJob = {
  /** The id of the Actions service, which the REST API does not have. */
  readonly id: string | null
  /** The display name, with its matrix. */
  readonly name: string | null
  /** OWNER/NAME */
  readonly repository: string | null
  /** OWNER/NAME/PATH@REF */
  readonly workflow: string | null
  readonly runId: number | null
  /** URL of the run: the record has no job id of the REST API. */
  readonly url: string | null
}

/** Versions differ in which fields show a job; any of them counts. Null if none does. */
export function recordedJob(record: unknown): RecordedJob | null {
  const status = at(record, 'status')
  const known = {
    id: textAt(status, 'jobId'),
    name: textAt(status, 'jobDisplayName'),
    repository: textAt(status, 'jobRepositoryName'),
    workflow: textAt(status, 'jobWorkflowRef'),
    runId: positive(numberAt(status, 'workflowRunId')),
  }
  // A runner with a job must not look idle because a number came as text.
  const request = positive(Number(at(status, 'jobRequestId') ?? 0))
  if ([...Object.values(known), request].every((one) => one === null)) return null
  return { ...known, url: runUrl(known, textAt(record, 'spec', 'githubConfigUrl')) }
}

function positive(number: number | null): number | null {
  return number !== null && Number.isSafeInteger(number) && number > 0 ? number : null
}

const REPOSITORY = /^[\w.-]{1,100}\/[\w.-]{1,100}$/

function runUrl(
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

/** 'job "build" of acme/app', as far as the record has it. */
export function describeJob({ name, repository }: Pick<RecordedJob, 'name' | 'repository'>): string {
  const which = name === null ? 'a job' : `job "${name}"`
  return repository === null ? which : `${which} of ${repository}`
}
