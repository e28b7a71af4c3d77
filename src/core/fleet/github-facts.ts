import { listAt, numberAt, textAt } from '#/core/basics/fields.ts'
import { readWorkflowJob } from '#/core/github/workflow-job-facts.ts'
import type { WorkflowJobFacts } from '#/core/github/workflow-job-facts.ts'
import { at } from '#/core/basics/fields.ts'

/** A runner as GitHub lists it. */
export type GitHubRunner = {
  readonly id: number | null
  readonly name: string
  readonly isOnline: boolean
  readonly isBusy: boolean
  readonly labels: readonly string[]
}

export function readGitHubRunner(object: unknown): GitHubRunner {
  return {
    id: numberAt(object, 'id'),
    name: textAt(object, 'name') ?? '',
    isOnline: textAt(object, 'status') === 'online',
    isBusy: at(object, 'busy') === true,
    labels: listAt(object, 'labels').flatMap((label) =>
      typeof label === 'string' ? [label] : (textAt(label, 'name') ?? []),
    ),
  }
}

/** A job with the fields that audits need. */
export type FleetJob = WorkflowJobFacts & {
  readonly labels: readonly string[]
  /** `owner/name`, from the job's URLs. */
  readonly repository: string | null
  readonly workflow: string | null
  readonly runnerId: number | null
}

export function readFleetJob(object: unknown): FleetJob {
  const address = textAt(object, 'run_url') ?? textAt(object, 'url') ?? textAt(object, 'html_url') ?? ''
  const repository =
    /\/repos\/(?<repository>[^/]+\/[^/]+)\//.exec(address)?.groups?.['repository'] ??
    /^https?:\/\/[^/]+\/(?<repository>[^/]+\/[^/]+)\/actions\//.exec(textAt(object, 'html_url') ?? '')?.groups?.[
      'repository'
    ] ??
    textAt(object, 'repository', 'full_name')
  return {
    ...readWorkflowJob(object),
    labels: listAt(object, 'labels').filter((label) => typeof label === 'string'),
    repository,
    workflow: textAt(object, 'workflow_name'),
    runnerId: numberAt(object, 'runner_id'),
  }
}

/** Waits for a runner. Status `waiting` is for an approval, `pending` for another run: no runner would help. */
export function isWaiting({ status }: FleetJob): boolean {
  return status === 'queued'
}

/** GitHub-hosted runners: not served by this fleet. */
const HOSTED = /^(?:ubuntu|windows|macos)-(?:latest|slim|[\d.]+)/i

export function isForHosted({ labels }: FleetJob): boolean {
  return !labels.some((label) => /^self-hosted$/i.test(label)) && labels.some((label) => HOSTED.test(label))
}

export type ConfigScope = { readonly owner: string; readonly repository: string | null; readonly isEnterprise: boolean }

/** The scope of a `githubConfigUrl`: a repository, an organisation, or an enterprise. */
export function parseScope(configUrl: string | null): ConfigScope | null {
  const match = /^https?:\/\/[^/]+\/(?<rest>[^?#]+?)\/*$/.exec(configUrl ?? '')
  const parts = match?.groups?.['rest']?.split('/') ?? []
  const [first, second] = parts
  if (first === undefined) return null
  if (first === 'enterprises' && second !== undefined) return { owner: second, repository: null, isEnterprise: true }
  return { owner: first, repository: second ?? null, isEnterprise: false }
}

export function servesRepository(scope: ConfigScope | null, repository: string | null): boolean {
  if (scope === null || repository === null || scope.isEnterprise) return true
  const [owner = '', name = ''] = repository.toLowerCase().split('/')
  if (owner !== scope.owner.toLowerCase()) return false
  return scope.repository === null || scope.repository.toLowerCase() === name
}
