import { z } from 'zod'
import type { Observed } from '#/core/basics/observed.ts'
import { none, seenList } from '#/core/basics/observed.ts'
import type { Waiting } from '#/ports/github.ts'
import type { Documents, GitHubDocument, OfAttempt } from '#/ports/github-documents.ts'
import type { Client } from '#/adapters/github/http/client.ts'
import { asBlind, observeOne } from './observe.ts'
import { readCounted, readLinked } from './pages.ts'
import { atRegistration, get, inRepository, repositoryItself } from './places.ts'
import { shape } from '#/adapters/github/http/shape.ts'
import { jobsOfUnfinishedRuns } from './unfinished-jobs.ts'

/** Only what makes it such a row is checked: the rest is read by whoever reads the bundle. */
const identified = z.looseObject({ id: z.int().positive() })
const annotation = z.looseObject({ path: z.string() })
const job = z.looseObject({ id: z.int().positive(), status: z.string() })

export function createDocuments(client: Client): Documents {
  const one = (repository: string, path: readonly (string | number)[], options?: Waiting) =>
    observeOne<GitHubDocument>(client, {
      ask: get(inRepository(repository, ['actions', ...path], options?.signal)),
      schema: identified,
      place: repositoryItself(repository, options?.signal),
    })
  return {
    job: (repository, id, options) => one(repository, ['jobs', id], options),
    run: (repository, id, options) => one(repository, ['runs', id, ...attemptPath(options)], options),
    jobsOfRun: (repository, run, options) => {
      const { attempt, signal } = options ?? {}
      const numbered = typeof attempt === 'number' ? attemptPath({ attempt }) : []
      const by = inRepository(repository, ['actions', 'runs', run, ...numbered, 'jobs'], signal)
      // Without the filter GitHub gives the jobs of the latest attempt.
      return readCounted(client, {
        ask: get(by, attempt === 'all' ? { filter: 'all' } : {}),
        rows: 'jobs',
        schema: job,
      })
    },
    annotations: (repository, checkRun, options) => {
      const by = inRepository(repository, ['check-runs', checkRun, 'annotations'], options?.signal)
      return readLinked(client, { ask: get(by), schema: annotation })
    },
    runners: (at, options) =>
      readCounted(client, {
        ask: get(atRegistration(at, [], options?.signal)),
        rows: 'runners',
        schema: identified,
      }),
    unfinishedJobs: async (repository, options) => {
      const jobs = await jobsOfUnfinishedRuns(client, { repository, schema: job, options })
      return jobs.kind === 'seen' ? seenList(jobs.value.filter(({ status }) => status !== 'completed')) : jobs
    },
    rateLimit: (owner, options) => rateLimit(client, owner, options),
  }
}

function attemptPath({ attempt }: OfAttempt = {}): readonly (string | number)[] {
  return attempt === undefined ? [] : ['attempts', attempt]
}

async function rateLimit(
  client: Client,
  owner: string,
  options: Waiting | undefined,
): Promise<Observed<GitHubDocument>> {
  const as = { kind: 'owner', owner } as const
  const answer = await client.ask(get({ path: ['rate_limit'], as, signal: options?.signal }))
  // An enterprise server without limits has no such page.
  if (answer.kind === 'absent') return none()
  return answer.kind === 'ok'
    ? shape(answer.json, z.looseObject({ resources: z.looseObject({}) }), client.scrub)
    : asBlind(answer)
}
