import type { z } from 'zod'
import type { Observed } from '#/core/basics/observed.ts'
import { seenList } from '#/core/basics/observed.ts'
import type { Waiting } from '#/ports/github.ts'
import type { Client } from '#/adapters/github/http/client.ts'
import type { Row } from './counted-page.ts'
import { readCounted } from './pages.ts'
import { get, inRepository } from './places.ts'
import { runSchema } from './schemas.ts'

export const UNFINISHED = ['queued', 'in_progress'] as const
export type UnfinishedStatus = (typeof UNFINISHED)[number]

export type JobsQuery<T> = {
  readonly repository: string
  readonly schema: z.ZodType<T>
  readonly options: Waiting | undefined
}

/** The jobs of every run that is queued or in progress, as the schema reads them; some of them may have finished. */
export async function jobsOfUnfinishedRuns<T extends Row>(
  client: Client,
  query: JobsQuery<T>,
): Promise<Observed<readonly T[]>> {
  const runs = new Set<number>()
  // Queued runs first: a run that starts meanwhile is in both lists.
  for (const status of UNFINISHED) {
    const found = await listRuns(client, { ...query, schema: runSchema }, status)
    if (found.kind === 'blind') return found
    if (found.kind === 'seen') for (const run of found.value) runs.add(run.id)
  }
  const perRun = await Promise.all([...runs].map((run) => jobsOfRun(client, query, run)))
  const all: T[] = []
  for (const jobs of perRun) {
    if (jobs.kind === 'blind') return jobs
    if (jobs.kind === 'seen') all.push(...jobs.value)
  }
  return seenList(all)
}

export function jobsOfRun<T extends Row>(
  client: Client,
  { repository, schema, options }: JobsQuery<T>,
  run: number,
): Promise<Observed<readonly T[]>> {
  const by = inRepository(repository, ['actions', 'runs', run, 'jobs'], options?.signal)
  return readCounted(client, { ask: get(by, { filter: 'latest' }), rows: 'jobs', schema })
}

export function listRuns<T extends Row>(
  client: Client,
  { repository, schema, options }: JobsQuery<T>,
  status: UnfinishedStatus,
): Promise<Observed<readonly T[]>> {
  const by = inRepository(repository, ['actions', 'runs'], options?.signal)
  return readCounted(client, { ask: get(by, { status }), rows: 'workflow_runs', schema })
}
