import type { z } from 'zod'
import type { Observed } from '#/core/observed.ts'
import { mapSeen, seenList } from '#/core/observed.ts'
import type { Jobs, RepositoryQueue, RequestOutcome, Waiting, WorkflowJob, WorkflowRun } from '#/ports/github.ts'
import type { Client } from './client.ts'
import { readJobLog } from './job-log.ts'
import { asWriteFailure, observeOne } from './observe.ts'
import { readCounted, readLinked } from './pages.ts'
import { get, inOrganization, inRepository, repositoryItself } from './places.ts'
import { jobSchema, repositorySchema, runSchema } from './schemas.ts'

export function createJobs(client: Client): Jobs {
  return {
    byId: async (repository, id, options) => {
      const job = await oneOf(client, repository, { parts: ['jobs', id], schema: jobSchema }, options)
      return mapSeen(job, (facts) => ({ ...facts, repository }))
    },
    run: async (repository, id, options) => {
      const run = await oneOf(client, repository, { parts: ['runs', id], schema: runSchema }, options)
      return mapSeen(run, (facts) => ({ ...facts, repository }))
    },
    ofRun: (repository, run, options) => jobsOfRun(client, repository, run, options),
    runs: (repository, status, options) => runsOf(client, repository, status, options),
    queued: (repository, options) => queuedJobs(client, repository, options),
    queuedOfOrganization: (organization, options) => queuedOfOrganization(client, organization, options),
    log: (repository, job, reading) => readJobLog(client, repository, job, reading),
    rerun: (repository, job, options) => request(client, repository, ['jobs', job, 'rerun'], options),
    rerunFailed: (repository, run, options) => request(client, repository, ['runs', run, 'rerun-failed-jobs'], options),
  }
}

function oneOf<T>(
  client: Client,
  repository: string,
  thing: { readonly parts: readonly (string | number)[]; readonly schema: z.ZodType<T> },
  options: Waiting | undefined,
): Promise<Observed<T>> {
  return observeOne(client, {
    ask: get(inRepository(repository, ['actions', ...thing.parts], options?.signal)),
    schema: thing.schema,
    place: repositoryItself(repository, options?.signal),
  })
}

async function jobsOfRun(
  client: Client,
  repository: string,
  run: number,
  options: Waiting | undefined,
): Promise<Observed<readonly WorkflowJob[]>> {
  const by = inRepository(repository, ['actions', 'runs', run, 'jobs'], options?.signal)
  const jobs = await readCounted(client, { ask: get(by, { filter: 'latest' }), rows: 'jobs', schema: jobSchema })
  return mapSeen(jobs, (rows) => rows.map((job) => ({ ...job, repository })))
}

async function runsOf(
  client: Client,
  repository: string,
  status: 'queued' | 'in_progress',
  options: Waiting | undefined,
): Promise<Observed<readonly WorkflowRun[]>> {
  const by = inRepository(repository, ['actions', 'runs'], options?.signal)
  const runs = await readCounted(client, { ask: get(by, { status }), rows: 'workflow_runs', schema: runSchema })
  return mapSeen(runs, (rows) => rows.map((run) => ({ ...run, repository })))
}

/** A run that is in progress has queued jobs too. Queued runs are read first: a run that starts meanwhile is in both lists. */
async function queuedJobs(
  client: Client,
  repository: string,
  options: Waiting | undefined,
): Promise<Observed<readonly WorkflowJob[]>> {
  const runs = new Set<number>()
  for (const status of ['queued', 'in_progress'] as const) {
    const found = await runsOf(client, repository, status, options)
    if (found.kind === 'blind') return found
    if (found.kind === 'seen') for (const run of found.value) runs.add(run.id)
  }
  const perRun = await Promise.all([...runs].map((run) => jobsOfRun(client, repository, run, options)))
  const queued: WorkflowJob[] = []
  for (const jobs of perRun) {
    if (jobs.kind === 'blind') return jobs
    if (jobs.kind === 'seen') queued.push(...jobs.value.filter((job) => job.status === 'queued'))
  }
  return seenList(queued)
}

async function queuedOfOrganization(
  client: Client,
  organization: string,
  options: Waiting | undefined,
): Promise<Observed<readonly RepositoryQueue[]>> {
  const found = await repositoriesOf(client, organization, options)
  if (found.kind !== 'seen') return found
  const live = found.value.filter(({ archived, disabled }) => !archived && !disabled)
  const queues = await Promise.all(
    live.map(async ({ full_name: repository }) => ({
      repository,
      jobs: await queuedJobs(client, repository, options),
    })),
  )
  return seenList(queues)
}

type Repository = z.infer<typeof repositorySchema>

/** An App sees the repositories of its installation; a token those of the organisation that it may see. */
async function repositoriesOf(
  client: Client,
  organization: string,
  options: Waiting | undefined,
): Promise<Observed<readonly Repository[]>> {
  const by = inOrganization(organization, ['repos'], options?.signal)
  const schema = repositorySchema
  if (client.credentialKind === 'token') return readLinked(client, { ask: get(by, { type: 'all' }), schema })
  const ask = get({ ...by, path: ['installation', 'repositories'] })
  return readCounted(client, { ask, rows: 'repositories', schema })
}

async function request(
  client: Client,
  repository: string,
  parts: readonly (string | number)[],
  options: Waiting | undefined,
): Promise<RequestOutcome> {
  const by = inRepository(repository, ['actions', ...parts], options?.signal)
  const answer = await client.ask({ method: 'POST', again: 'harmful', ...by })
  if (answer.kind === 'ok') return { kind: 'requested' }
  return asWriteFailure(client, answer, repositoryItself(repository, options?.signal))
}
