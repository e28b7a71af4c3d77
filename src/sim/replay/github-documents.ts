import { toFields, listAt, numberAt, textAt, timeAt } from '#/core/basics/fields.ts'
import type { Fields } from '#/core/basics/fields.ts'
import { bundlePath } from '#/core/evidence/bundle-path.ts'
import type { Recording } from './recording.ts'

/** What GitHub has of one job, as it was when it was recorded. */
export type JobDocuments = {
  readonly repository: string
  readonly id: number
  readonly runId: number
  readonly job: Fields
  readonly run: Fields
  readonly annotations: readonly unknown[]
  /** Null: GitHub has no log of it. */
  readonly log: string | null
}

export function readJobDocuments({ files }: Pick<Recording, 'files'>): JobDocuments | null {
  const path = [...files.keys()].find((name) => /^github\/jobs\/\d+\.json$/.test(name))
  if (path === undefined) return null
  const job = toFields(parsed(files.get(path)))
  const id = numberAt(job, 'id')
  const runId = numberAt(job, 'run_id')
  const repository = /\/repos\/([^/]+\/[^/]+)\/actions\//.exec(textAt(job, 'run_url') ?? '')?.[1]
  if (id === null || runId === null || repository === undefined) return null
  const annotations = parsed(files.get(bundlePath.githubAnnotations(id)))
  return {
    repository,
    id,
    runId,
    job,
    run: toFields(parsed(files.get(bundlePath.githubRun(runId)))),
    annotations: Array.isArray(annotations) ? annotations : [],
    log: files.get(bundlePath.githubLog(id)) || null,
  }
}

function parsed(text: string | undefined): unknown {
  return text === undefined ? null : JSON.parse(text)
}

export function hasEnded({ job }: JobDocuments, now: number): boolean {
  const completedAt = timeAt(job, 'completed_at')
  return completedAt !== null && completedAt <= now
}

/** The job as GitHub would report it now, without what has not happened yet. */
export function jobAt(documents: JobDocuments, now: number): Fields {
  const steps = listAt(documents.job, 'steps').flatMap((step) => stepAt(toFields(step), now))
  return { ...(hasEnded(documents, now) ? documents.job : unfinished(documents.job)), steps }
}

function stepAt(step: Fields, now: number): readonly Fields[] {
  if ((timeAt(step, 'started_at') ?? 0) > now) return []
  return [(timeAt(step, 'completed_at') ?? 0) > now ? unfinished(step) : step]
}

function unfinished(thing: Fields): Fields {
  return { ...thing, status: 'in_progress', conclusion: null, completed_at: null }
}

export function runAt(documents: JobDocuments, now: number): Fields {
  const { run, job } = documents
  if (hasEnded(documents, now) || textAt(job, 'status') !== 'completed') return run
  return { ...run, status: 'in_progress', conclusion: null }
}
