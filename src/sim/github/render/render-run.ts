import { isoTime } from './answers.ts'
import { renderAccount } from './render-account.ts'
import { renderRepository } from './render-repository.ts'
import type { Schema } from './schemas.ts'
import type { Urls } from './urls.ts'
import { nodeId } from './node-id.ts'
import type { Repository, SimRun } from '#/sim/github/world/world-state.ts'

const AUTHOR = { name: 'Octo Cat', email: 'octocat@example.com' } as const

export function renderRun(run: SimRun, repository: Repository, urls: Urls) {
  const api = `${urls.api}/repos/${run.repository}`
  const url = `${api}/actions/runs/${run.id}`
  const actor = renderAccount(repository.owner, urls)
  const rendered = renderRepository(repository, urls)
  return {
    id: run.id,
    name: run.workflow.name,
    node_id: nodeId('WorkflowRun', run.id),
    check_suite_id: run.checkSuite,
    check_suite_node_id: nodeId('CheckSuite', run.checkSuite),
    head_branch: run.headBranch,
    head_sha: run.headSha,
    path: run.workflow.path,
    display_title: run.workflow.name,
    run_number: run.number,
    run_attempt: run.attempt,
    event: run.event,
    status: run.status,
    conclusion: run.conclusion,
    workflow_id: run.workflow.id,
    url,
    html_url: `${urls.web}/${run.repository}/actions/runs/${run.id}`,
    pull_requests: [],
    created_at: isoTime(run.createdAt),
    updated_at: isoTime(run.updatedAt),
    run_started_at: isoTime(run.attemptStartedAt),
    actor,
    triggering_actor: actor,
    referenced_workflows: [],
    jobs_url: `${url}/jobs`,
    logs_url: `${url}/logs`,
    check_suite_url: `${api}/check-suites/${run.checkSuite}`,
    artifacts_url: `${url}/artifacts`,
    cancel_url: `${url}/cancel`,
    rerun_url: `${url}/rerun`,
    previous_attempt_url: run.attempt > 1 ? `${url}/attempts/${run.attempt - 1}` : null,
    workflow_url: `${api}/actions/workflows/${run.workflow.id}`,
    head_commit: {
      id: run.headSha,
      tree_id: run.headSha,
      message: run.workflow.name,
      timestamp: isoTime(run.createdAt),
      author: AUTHOR,
      committer: AUTHOR,
    },
    repository: rendered,
    head_repository: rendered,
  } satisfies Schema<'workflow-run'>
}

export function renderWorkflow(run: SimRun, repository: Repository, urls: Urls) {
  const at = isoTime(repository.createdAt)
  return {
    id: run.workflow.id,
    node_id: nodeId('Workflow', run.workflow.id),
    name: run.workflow.name,
    path: run.workflow.path,
    state: 'active',
    created_at: at,
    updated_at: at,
    url: `${urls.api}/repos/${run.repository}/actions/workflows/${run.workflow.id}`,
    html_url: `${urls.web}/${run.repository}/blob/main/${run.workflow.path}`,
    badge_url: `${urls.web}/${run.repository}/workflows/${encodeURIComponent(run.workflow.name)}/badge.svg`,
  }
}
