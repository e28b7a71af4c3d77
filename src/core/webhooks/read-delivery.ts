import { at, toFields } from '#/core/basics/fields.ts'
import type { Runner } from '#/core/dispatch/runner.ts'

/** What a `workflow_job` delivery says about a job, and nothing more. */
export type ReportedJob = {
  readonly id: number
  readonly runId: number
  readonly runAttempt: number
  /** `owner/name` */
  readonly repository: string
  readonly workflow: string
  readonly name: string
  readonly labels: readonly string[]
  readonly status: ReportedStatus
  readonly conclusion: string | null
  readonly runner: Runner | null
  readonly createdAt: number | null
  readonly startedAt: number | null
  readonly completedAt: number | null
  /** Null for a webhook of a repository or organisation: only an App's has one. */
  readonly installation: number | null
}

export const REPORTED_STATUSES = ['queued', 'waiting', 'pending', 'requested', 'in_progress', 'completed'] as const
/** `unknown`: GitHub has invented another. */
export type ReportedStatus = (typeof REPORTED_STATUSES)[number] | 'unknown'

export type DeliveryReading =
  | { readonly kind: 'job'; readonly job: ReportedJob }
  | { readonly kind: 'other-event' }
  | { readonly kind: 'malformed'; readonly why: string }

const LONGEST_NAME = 1024
const MOST_LABELS = 100
const HIGHEST_ATTEMPT = 1_000_000
const REPOSITORY = /^[^/\s]{1,100}\/[^/\s]{1,100}$/u

class WrongField extends Error {
  readonly code = 'WRONG_FIELD'
}

/** The payload of a delivery whose signature was checked. A field that we do not read may be anything. */
export function readDelivery(event: string, payload: unknown): DeliveryReading {
  if (event !== 'workflow_job') return { kind: 'other-event' }
  try {
    return { kind: 'job', job: readJob(payload) }
  } catch (error) {
    if (error instanceof WrongField) return { kind: 'malformed', why: error.message }
    throw error
  }
}

function readJob(payload: unknown): ReportedJob {
  const job = toFields(at(payload, 'workflow_job'))
  const field = (name: string): readonly [string, unknown] => [`workflow_job.${name}`, job[name]]
  const runnerName = optionalText(...field('runner_name'))
  const status = text(...field('status'))
  return {
    id: count(...field('id')),
    runId: count(...field('run_id')),
    runAttempt: Math.min(optionalCount(...field('run_attempt')) ?? 1, HIGHEST_ATTEMPT),
    repository: repository('repository.full_name', at(payload, 'repository', 'full_name')),
    workflow: optionalText(...field('workflow_name')) ?? '',
    name: text(...field('name')),
    labels: labels(...field('labels')),
    status: REPORTED_STATUSES.find((known) => known === status) ?? 'unknown',
    conclusion: optionalText(...field('conclusion')),
    // GitHub writes "no runner" as null, as 0 and as the empty name.
    runner: runnerName === null ? null : { id: optionalCount(...field('runner_id')), name: runnerName },
    createdAt: optionalTime(...field('created_at')),
    startedAt: optionalTime(...field('started_at')),
    completedAt: optionalTime(...field('completed_at')),
    installation: optionalCount('installation.id', at(payload, 'installation', 'id')),
  }
}

function count(place: string, value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) return value
  throw new WrongField(`${place} is not a positive whole number`)
}

function optionalCount(place: string, value: unknown): number | null {
  return value === undefined || value === null || value === 0 ? null : count(place, value)
}

function text(place: string, value: unknown): string {
  if (typeof value !== 'string') throw new WrongField(`${place} is not a text`)
  if (value.length > LONGEST_NAME) throw new WrongField(`${place} is longer than ${LONGEST_NAME} characters`)
  // PostgreSQL stores no NUL.
  return value.replaceAll('\0', '\uFFFD')
}

function optionalText(place: string, value: unknown): string | null {
  return value === undefined || value === null || value === '' ? null : text(place, value)
}

function labels(place: string, value: unknown): readonly string[] {
  if (!Array.isArray(value)) throw new WrongField(`${place} is not a list`)
  if (value.length > MOST_LABELS) throw new WrongField(`${place} has more than ${MOST_LABELS} entries`)
  return value.map((label) => text(place, label))
}

function repository(place: string, value: unknown): string {
  const name = text(place, value)
  if (!REPOSITORY.test(name)) throw new WrongField(`${place} is not OWNER/NAME`)
  return name
}

function optionalTime(place: string, value: unknown): number | null {
  const written = optionalText(place, value)
  if (written === null) return null
  const time = Date.parse(written)
  if (Number.isNaN(time) || time <= 0) throw new WrongField(`${place} is not a time`)
  return time
}
