import { json, notFound, validationFailed } from '#/sim/github/render/answers.ts'
import type { Context } from './context.ts'
import { linkHeader, numberedPage } from './pagination.ts'
import { isObject, toText } from './request-body.ts'
import { checkRunOfJob, renderAnnotation, renderCheckRun } from '#/sim/github/render/render-check-run.ts'
import type { Access, Call, Route } from './router.ts'
import { idParam, repositoryName } from './router.ts'
import type { CheckRun } from '#/sim/github/world/world-state.ts'
import { nameKey } from '#/sim/github/world/world-tables.ts'

const READS: Access = { kind: 'permission', permission: 'checks', level: 'read' }
const WRITES: Access = { kind: 'permission', permission: 'checks', level: 'write' }
const CHECK_RUNS = '/repos/{owner}/{repo}/check-runs'

const STATUSES = ['queued', 'in_progress', 'completed'] as const
const CONCLUSIONS = ['success', 'failure', 'neutral', 'cancelled', 'skipped', 'timed_out', 'action_required'] as const

export function checkRoutes(context: Context): readonly Route[] {
  const whenFound =
    (answer: (call: Call, check: CheckRun) => Response) =>
    (call: Call): Response => {
      const check = findCheck(context, call)
      return check === null ? notFound() : answer(call, check)
    }
  return [
    { method: 'POST', path: CHECK_RUNS, access: WRITES, answer: (call) => create(context, call) },
    {
      method: 'GET',
      path: `${CHECK_RUNS}/{check_run_id}`,
      access: READS,
      answer: whenFound((call, check) => json(200, renderCheckRun(check, context.app, call.urls))),
    },
    {
      method: 'PATCH',
      path: `${CHECK_RUNS}/{check_run_id}`,
      access: WRITES,
      answer: whenFound((call, check) =>
        isTooLong(call.body)
          ? validationFailed('CheckRun', 'output', 'invalid')
          : store(context, call, changed(context, check, call.body), 200),
      ),
    },
    {
      method: 'GET',
      path: `${CHECK_RUNS}/{check_run_id}/annotations`,
      access: READS,
      answer: whenFound((call, check) => {
        const page = numberedPage(check.annotations, call.url)
        const rows = page.rows.map((annotation) => renderAnnotation(annotation, check, call.urls))
        return json(200, rows, linkHeader(page.link))
      }),
    },
  ]
}

function findCheck(context: Context, call: Call): CheckRun | null {
  const { world } = context
  const id = idParam(call, 'check_run_id')
  const job = world.job(id)
  const run = job === undefined ? undefined : world.run(job.run)
  const check = job !== undefined && run !== undefined ? checkRunOfJob(job, run) : world.checkRun(id)
  return check !== undefined && nameKey(check.repository) === nameKey(repositoryName(call)) ? check : null
}

function create(context: Context, call: Call): Response {
  const repository = context.world.repository(repositoryName(call))
  if (repository === undefined) return notFound()
  const body = isObject(call.body) ? call.body : {}
  const name = toText(body['name'])
  const headSha = toText(body['head_sha'])
  if (name === null) return validationFailed('CheckRun', 'name', 'missing_field')
  if (headSha === null) return validationFailed('CheckRun', 'head_sha', 'missing_field')
  if (isTooLong(body)) return validationFailed('CheckRun', 'output', 'invalid')
  const blank: CheckRun = {
    id: context.seeded.id(),
    repository: repository.fullName,
    name,
    headSha,
    externalId: null,
    detailsUrl: null,
    status: 'queued',
    conclusion: null,
    startedAt: context.clock.now(),
    completedAt: null,
    output: { title: null, summary: null, text: null },
    annotations: [],
  }
  return store(context, call, changed(context, blank, body), 201)
}

const LONGEST_OUTPUT = 65_535

function isTooLong(asked: unknown): boolean {
  const output = isObject(asked) && isObject(asked['output']) ? asked['output'] : {}
  return ['summary', 'text'].some((field) => (toText(output[field]) ?? '').length > LONGEST_OUTPUT)
}

function store(context: Context, call: Call, check: CheckRun | null, status: number): Response {
  if (check === null) return validationFailed('CheckRun', 'conclusion', 'invalid')
  context.world.putCheckRun(check)
  return json(status, renderCheckRun(check, context.app, call.urls))
}

/** `null` where GitHub would refuse. */
function changed(context: Context, check: CheckRun, asked: unknown): CheckRun | null {
  const body = isObject(asked) ? asked : {}
  const output = isObject(body['output']) ? body['output'] : {}
  const state = stateAfter(check, body)
  if (state === null) return null
  return {
    ...check,
    ...state,
    completedAt: state.status === 'completed' ? context.clock.now() : null,
    name: toText(body['name']) ?? check.name,
    externalId: toText(body['external_id']) ?? check.externalId,
    detailsUrl: toText(body['details_url']) ?? check.detailsUrl,
    output: {
      title: toText(output['title']) ?? check.output.title,
      summary: toText(output['summary']) ?? check.output.summary,
      text: toText(output['text']) ?? check.output.text,
    },
  }
}

/** A conclusion completes the check run, and a completed one needs a conclusion. */
function stateAfter(
  check: CheckRun,
  body: Readonly<Record<string, unknown>>,
): Pick<CheckRun, 'status' | 'conclusion'> | null {
  if (body['conclusion'] !== undefined) {
    const conclusion = CONCLUSIONS.find((known) => known === body['conclusion'])
    return conclusion === undefined ? null : { status: 'completed', conclusion }
  }
  const status = STATUSES.find((known) => known === body['status']) ?? check.status
  if (status !== 'completed') return { status, conclusion: null }
  return check.conclusion === null ? null : { status, conclusion: check.conclusion }
}
