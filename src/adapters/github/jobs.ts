import type { z } from 'zod'
import type { Observed } from '#/core/basics/observed.ts'
import { mapSeen, seenList } from '#/core/basics/observed.ts'
import type { Jobs, RepositoryQueue, RequestOutcome, Waiting, WorkflowJob } from '#/ports/github.ts'
import type { Client } from '#/adapters/github/http/client.ts'
import { readJobLog } from './job-log.ts'
import { asWriteFailure, observeOne } from './observe.ts'
import { readCounted, readLinked } from './pages.ts'
import { get, inOrganization, inRepository, repositoryItself } from './places.ts'
import { jobSchema, repositorySchema, runSchema } from './schemas.ts'
import { jobsOfRun, jobsOfUnfinishedRuns, listRuns } from './unfinished-jobs.ts'

type WithRepository = { readonly repository: string }

export function createJobs(client: Client): Jobs {
  return {
    byId: async (repository, id, options) => {
      const job = await readOne(client, repository, { parts: ['jobs', id], schema: jobSchema }, options)
      return mapSeen(job, (facts) => ({ ...facts, repository }))
    },
    run: async (repository, id, options) => {
      const run = await readOne(client, repository, { parts: ['runs', id], schema: runSchema }, options)
      return mapSeen(run, (facts) => ({ ...facts, repository }))
    },
    ofRun: async (repository, run, options) =>
      mapSeen(await jobsOfRun(client, { repository, schema: jobSchema, options }, run), placedIn(repository)),
    runs: async (repository, status, options) =>
      mapSeen(await listRuns(client, { repository, schema: runSchema, options }, status), placedIn(repository)),
    queued: (repository, options) => queuedJobs(client, repository, options),
    queuedOfOrganization: (organization, options) => queuedOfOrganization(client, organization, options),
    log: (repository, job, reading) => readJobLog(client, repository, job, reading),
    rerun: (repository, job, options) => request(client, repository, ['jobs', job, 'rerun'], options),
    rerunFailed: (repository, run, options) => request(client, repository, ['runs', run, 'rerun-failed-jobs'], options),
  }
}

function readOne<T>(
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

/** The repository is in the question, not in GitHub's answer. */
function placedIn(repository: string): <T extends object>(rows: readonly T[]) => readonly (T & WithRepository)[] {
  return (rows) => rows.map((row) => ({ ...row, repository }))
}

/** A run that is in progress has queued jobs too. */
async function queuedJobs(
  client: Client,
  repository: string,
  options: Waiting | undefined,
): Promise<Observed<readonly WorkflowJob[]>> {
  const jobs = await jobsOfUnfinishedRuns(client, { repository, schema: jobSchema, options })
  if (jobs.kind !== 'seen') return jobs
  return seenList(placedIn(repository)(jobs.value.filter((job) => job.status === 'queued')))
}

async function queuedOfOrganization(
  client: Client,
  organization: string,
  options: Waiting | undefined,
): Promise<Observed<readonly RepositoryQueue[]>> {
  const found = await listRepositories(client, organization, options)
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
async function listRepositories(
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
