import type { Observed } from '#/core/basics/observed.ts'
import type { GitHub } from '#/ports/github.ts'

/** One read of the port and what GitHub's answers to it look like. */
export type Read = {
  readonly name: string
  readonly read: (github: GitHub) => Promise<Observed<unknown>>
  /** The request whose answer has the fact. */
  readonly path: RegExp
  /** The request whose answer has the bytes, if that is another one. */
  readonly bytes?: RegExp
  /** GitHub's answer when there is nothing; null if there is no such answer. */
  readonly empty: { readonly status: number; readonly body: string } | null
  /** Keys that the adapter must find in the right type. */
  readonly required: readonly string[]
}

const ORG = { kind: 'organization', organization: 'acme' } as const
const REPO = 'acme/api'
const ABSENT = { status: 404, body: '{"message":"Not Found"}' }
const noRows = (key: string) => ({ status: 200, body: JSON.stringify({ total_count: 0, [key]: [] }) })

/** Ids that `fillWorld` returns. */
export type Ids = { readonly runner: number; readonly job: number; readonly run: number }

export function buildReads(ids: Ids): readonly Read[] {
  return [
    {
      name: 'runners.list',
      read: ({ runners }) => runners.list(ORG),
      path: /\/orgs\/acme\/actions\/runners\?/u,
      empty: noRows('runners'),
      required: ['total_count', 'runners', 'id', 'name', 'os', 'status', 'busy', 'labels'],
    },
    {
      name: 'runners.byId',
      read: ({ runners }) => runners.byId(ORG, ids.runner),
      path: /\/orgs\/acme\/actions\/runners\/\d+/u,
      empty: ABSENT,
      required: ['id', 'name', 'os', 'status', 'busy', 'labels'],
    },
    {
      name: 'runners.byName',
      read: ({ runners }) => runners.byName(ORG, 'linux-1'),
      path: /\/orgs\/acme\/actions\/runners\?name=linux-1/u,
      empty: noRows('runners'),
      required: ['total_count', 'runners', 'busy'],
    },
    {
      name: 'jobs.byId',
      read: ({ jobs }) => jobs.byId(REPO, ids.job),
      path: /\/actions\/jobs\/\d+/u,
      empty: ABSENT,
      required: [
        'id',
        'run_id',
        'name',
        'status',
        'labels',
        'head_sha',
        'created_at',
        'started_at',
        'steps',
        'runner_name',
      ],
    },
    {
      name: 'jobs.ofRun',
      read: ({ jobs }) => jobs.ofRun(REPO, ids.run),
      path: /\/actions\/runs\/\d+\/jobs/u,
      empty: noRows('jobs'),
      required: ['total_count', 'jobs', 'id', 'labels'],
    },
    {
      name: 'jobs.run',
      read: ({ jobs }) => jobs.run(REPO, ids.run),
      path: /\/actions\/runs\/\d+/u,
      empty: ABSENT,
      required: ['id', 'event', 'status', 'head_sha', 'run_attempt', 'updated_at'],
    },
    {
      name: 'jobs.runs',
      read: ({ jobs }) => jobs.runs(REPO, 'in_progress'),
      path: /\/actions\/runs\?status=in_progress/u,
      empty: noRows('workflow_runs'),
      required: ['total_count', 'workflow_runs', 'event'],
    },
    {
      name: 'jobs.queued',
      read: ({ jobs }) => jobs.queued(REPO),
      path: /\/actions\/runs\?status=/u,
      empty: noRows('workflow_runs'),
      required: ['total_count', 'workflow_runs'],
    },
    {
      name: 'jobs.queuedOfOrganization',
      read: ({ jobs }) => jobs.queuedOfOrganization('acme'),
      path: /\/installation\/repositories|\/orgs\/acme\/repos/u,
      empty: noRows('repositories'),
      required: ['full_name'],
    },
    {
      name: 'jobs.log',
      read: ({ jobs }) => jobs.log(REPO, ids.job, { maxBytes: 1000, take: () => undefined }),
      path: /\/actions\/jobs\/\d+\/logs/u,
      bytes: /\/_logs\//u,
      empty: ABSENT,
      required: [],
    },
    {
      name: 'checks.annotations',
      read: ({ checks }) => checks.annotations(REPO, ids.job),
      path: /\/annotations/u,
      empty: { status: 200, body: '[]' },
      required: ['path', 'start_line', 'message'],
    },
    {
      name: 'hooks.deliveries',
      read: ({ hooks }) => hooks.deliveries({ kind: 'app' }, 0),
      path: /\/app\/hook\/deliveries/u,
      empty: { status: 200, body: '[]' },
      required: ['id', 'guid', 'event', 'status', 'status_code', 'redelivery', 'delivered_at'],
    },
    {
      name: 'access.rateLimits',
      read: ({ access }) => access.rateLimits('acme'),
      path: /\/rate_limit/u,
      empty: { status: 404, body: '{"message":"Rate limiting is not enabled."}' },
      required: ['resources', 'limit', 'remaining', 'reset'],
    },
    {
      name: 'access.installation',
      read: ({ access }) => access.installation('acme'),
      path: /\/(?:orgs|users)\/acme\/installation/u,
      empty: ABSENT,
      required: ['id', 'login', 'permissions', 'events', 'repository_selection'],
    },
    {
      name: 'documents.job',
      read: ({ documents }) => documents.job(REPO, ids.job),
      path: /\/actions\/jobs\/\d+/u,
      empty: ABSENT,
      required: ['id'],
    },
    {
      name: 'documents.runners',
      read: ({ documents }) => documents.runners(ORG),
      path: /\/orgs\/acme\/actions\/runners\?/u,
      empty: noRows('runners'),
      required: ['total_count', 'runners', 'id'],
    },
    {
      name: 'documents.annotations',
      read: ({ documents }) => documents.annotations(REPO, ids.job),
      path: /\/annotations/u,
      empty: { status: 200, body: '[]' },
      required: ['path'],
    },
    {
      name: 'documents.unfinishedJobs',
      read: ({ documents }) => documents.unfinishedJobs(REPO),
      path: /\/actions\/runs\?status=/u,
      empty: noRows('workflow_runs'),
      required: ['total_count', 'workflow_runs'],
    },
    {
      name: 'access.app',
      read: ({ access }) => access.app(),
      path: /\/app$/u,
      empty: null,
      required: ['id', 'permissions', 'events'],
    },
  ]
}
