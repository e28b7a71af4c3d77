import { z } from 'zod'
import type {
  Annotation,
  HookDelivery,
  Installation,
  JobStatus,
  Level,
  Permission,
  RegisteredRunner,
  RunnerGroup,
  WorkflowJob,
  WorkflowRun,
} from '#/ports/github.ts'

/** What we read of GitHub's answers, and nothing more: an unknown field or a new value is no reason to be blind. */

const LONGEST_NAME = 1024
const id = z.int().positive()
const name = z.string().max(LONGEST_NAME)
const instant = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text))
const moment = instant.nullish().transform((at) => at ?? null)
const optional = <T>(schema: z.ZodType<T>) => schema.nullish().transform((value) => value ?? null)

export const runnerSchema = z
  .object({
    id,
    name,
    os: name,
    status: z.string(),
    busy: z.boolean(),
    ephemeral: optional(z.boolean()),
    labels: z.array(z.object({ name })),
    runner_group_id: optional(z.int()),
  })
  .transform((raw): RegisteredRunner => ({
    id: raw.id,
    name: raw.name,
    os: raw.os,
    status: raw.status === 'online' || raw.status === 'offline' ? raw.status : 'unknown',
    busy: raw.busy,
    ephemeral: raw.ephemeral,
    labels: raw.labels.map((label) => label.name),
    groupId: raw.runner_group_id,
  }))

export const groupSchema = z.object({ id, name }).transform((raw): RunnerGroup => raw)

/** JIT configurations are about 4 kB. */
export const mintSchema = z.object({
  runner: runnerSchema,
  encoded_jit_config: z
    .string()
    .min(1)
    .max(1 << 20),
})

const stepSchema = z
  .object({
    number: z.int(),
    name,
    status: z.string(),
    conclusion: optional(z.string()),
    started_at: moment,
    completed_at: moment,
  })
  .transform(({ started_at: startedAt, completed_at: completedAt, ...step }) => ({ ...step, startedAt, completedAt }))

const KNOWN_STATUSES: ReadonlySet<string> = new Set<JobStatus>([
  'queued',
  'waiting',
  'pending',
  'requested',
  'in_progress',
  'completed',
])

/** The job in the API and in webhooks; its repository is elsewhere in the document. */
export const jobSchema = z
  .object({
    id,
    run_id: id,
    run_attempt: z.int().positive().default(1),
    workflow_name: optional(name),
    name,
    status: z.string(),
    conclusion: optional(z.string()),
    labels: z.array(name),
    runner_id: optional(z.int()),
    runner_name: optional(name),
    runner_group_name: optional(name),
    head_sha: z.string(),
    head_branch: optional(z.string()),
    check_run_url: optional(z.string()),
    created_at: moment,
    started_at: moment,
    completed_at: moment,
    steps: z.array(stepSchema).default([]),
  })
  .transform((raw): Omit<WorkflowJob, 'repository'> => ({
    id: raw.id,
    runId: raw.run_id,
    runAttempt: raw.run_attempt,
    workflow: raw.workflow_name,
    name: raw.name,
    status: isJobStatus(raw.status) ? raw.status : 'unknown',
    conclusion: raw.conclusion,
    labels: raw.labels,
    runner: toRunner(raw.runner_id, raw.runner_name),
    runnerGroup: raw.runner_group_name === '' ? null : raw.runner_group_name,
    headSha: raw.head_sha,
    headBranch: raw.head_branch,
    checkRunId: checkRunId(raw.check_run_url),
    createdAt: raw.created_at,
    startedAt: raw.started_at,
    completedAt: raw.completed_at,
    steps: raw.steps,
  }))

function isJobStatus(status: string): status is JobStatus {
  return KNOWN_STATUSES.has(status)
}

/** GitHub writes "no runner" as null, as 0 and as the empty name. */
function toRunner(runnerId: number | null, runnerName: string | null): WorkflowJob['runner'] {
  if (runnerName === null || runnerName === '') return null
  return { id: runnerId === 0 ? null : runnerId, name: runnerName }
}

function checkRunId(url: string | null): number | null {
  const digits = /\/check-runs\/(\d{1,15})$/u.exec(url ?? '')?.[1]
  return digits === undefined ? null : Number(digits)
}

export const runSchema = z
  .object({
    id,
    run_attempt: z.int().positive().default(1),
    name: optional(name),
    event: z.string(),
    status: z.string().nullable(),
    conclusion: optional(z.string()),
    head_sha: z.string(),
    head_branch: optional(z.string()),
    created_at: moment,
    run_started_at: moment,
    updated_at: moment,
  })
  .transform((raw): Omit<WorkflowRun, 'repository'> => ({
    id: raw.id,
    attempt: raw.run_attempt,
    workflow: raw.name,
    event: raw.event,
    status: raw.status ?? 'unknown',
    conclusion: raw.conclusion,
    headSha: raw.head_sha,
    headBranch: raw.head_branch,
    createdAt: raw.created_at,
    startedAt: raw.run_started_at,
    updatedAt: raw.updated_at,
  }))

export const annotationSchema = z
  .object({
    annotation_level: optional(z.string()),
    title: optional(z.string()),
    message: optional(z.string()),
    path: z.string(),
    start_line: z.int(),
  })
  .transform((raw): Annotation => ({
    level: raw.annotation_level,
    title: raw.title,
    message: raw.message ?? '',
    path: raw.path,
    startLine: raw.start_line,
  }))

export const checkRunSchema = z.object({ id })

/** Ids are 64 bits wide; `readJson` keeps those that a number cannot hold as digits. */
const wideId = z.union([z.int().nonnegative(), z.string().regex(/^\d{1,20}$/u)]).transform(String)

export const deliverySchema = z
  .object({
    id: wideId,
    guid: name,
    event: name,
    action: optional(name),
    status: name,
    status_code: z.int(),
    redelivery: z.boolean(),
    delivered_at: instant,
  })
  .transform(({ status_code: statusCode, delivered_at: deliveredAt, ...raw }): HookDelivery => ({
    ...raw,
    statusCode,
    deliveredAt,
  }))

const LEVELS: readonly Level[] = ['read', 'write', 'admin']
const permissions = z.record(name, z.string().optional()).transform((granted): readonly Permission[] =>
  Object.entries(granted).flatMap(([permission, text]) => {
    const level = LEVELS.find((known) => known === text)
    return level === undefined ? [] : [{ name: permission, level }]
  }),
)

export const installationSchema = z
  .object({
    id,
    account: optional(z.object({ login: name.optional(), slug: name.optional() })),
    permissions,
    events: z.array(name),
    repository_selection: z.enum(['all', 'selected']),
    suspended_at: moment,
  })
  .transform((raw): Installation => ({
    id: raw.id,
    account: raw.account?.login ?? raw.account?.slug ?? null,
    permissions: raw.permissions,
    events: raw.events,
    repositories: raw.repository_selection,
    suspendedAt: raw.suspended_at,
  }))

export const appSchema = z.object({ id, slug: optional(name), permissions, events: z.array(name) })

export const rateLimitSchema = z.object({
  resources: z.record(name, z.object({ limit: z.int(), remaining: z.int().nonnegative(), reset: z.int() })),
})

export const repositorySchema = z.object({
  id,
  full_name: name,
  archived: z.boolean().default(false),
  disabled: z.boolean().default(false),
})
