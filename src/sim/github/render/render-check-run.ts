import { isoTimeOrNull } from './answers.ts'
import type { SimApp } from '#/sim/github/world/app.ts'
import { renderAppCore } from './render-app.ts'
import type { Schema } from './schemas.ts'
import type { Urls } from './urls.ts'
import { nodeId } from './node-id.ts'
import type { Annotation, CheckRun, SimJob, SimRun } from '#/sim/github/world/world-state.ts'

export function renderCheckRun(check: CheckRun, app: SimApp, urls: Urls) {
  const url = `${urls.api}/repos/${check.repository}/check-runs/${check.id}`
  return {
    id: check.id,
    head_sha: check.headSha,
    node_id: nodeId('CheckRun', check.id),
    external_id: check.externalId,
    url,
    html_url: `${urls.web}/${check.repository}/runs/${check.id}`,
    details_url: check.detailsUrl,
    status: check.status,
    conclusion: check.conclusion,
    started_at: isoTimeOrNull(check.startedAt),
    completed_at: isoTimeOrNull(check.completedAt),
    output: {
      ...check.output,
      annotations_count: check.annotations.length,
      annotations_url: `${url}/annotations`,
    },
    name: check.name,
    check_suite: { id: check.id },
    app: renderAppCore(app, urls),
    pull_requests: [],
  } satisfies Schema<'check-run'>
}

/** Every job is a check run with the same id. */
export function checkRunOfJob(job: SimJob, run: SimRun): CheckRun {
  return {
    id: job.id,
    repository: job.repository,
    name: job.name,
    headSha: run.headSha,
    externalId: null,
    detailsUrl: null,
    status: job.status === 'waiting' ? 'queued' : job.status,
    conclusion: job.conclusion,
    startedAt: job.startedAt,
    completedAt: job.completedAt,
    output: { title: null, summary: null, text: null },
    annotations: job.annotations,
  }
}

export function renderAnnotation(annotation: Annotation, check: CheckRun, urls: Urls) {
  return {
    path: annotation.path,
    start_line: 1,
    end_line: 1,
    start_column: null,
    end_column: null,
    annotation_level: annotation.level,
    title: annotation.title,
    message: annotation.message,
    raw_details: null,
    blob_href: `${urls.web}/${check.repository}/blob/${check.headSha}/${annotation.path}`,
  } satisfies Schema<'check-annotation'>
}
