import { listAt, numberAt, textAt } from '#/core/basics/fields.ts'
import type { Files } from '#test/bundles/mutate-files.ts'
import { readRows } from './blindness-fleet.ts'
import { readText } from './fleet-files.ts'

/**
 * The runners of a bundle that have a job by any record: a job field on the object, busy at GitHub, or a job in progress
 * that names it. Read from the raw documents, without the code that is tested. By `namespace/name`.
 */
export function runnersWithJob(files: Files): ReadonlySet<string> {
  const busy = listNames(
    listRows(files, 'github/runners.json', 'runners').filter((row) => at(row, 'busy') === true),
    'name',
  )
  const inProgress = listNames(
    [...listRows(files, 'github/queued-jobs.json', 'jobs'), ...singleJobs(files)].filter(
      (row) => textAt(row, 'status') === 'in_progress',
    ),
    'runner_name',
  )
  return new Set(
    readRows(files, 'ephemeralrunners').flatMap((runner) => {
      const name = textAt(runner, 'metadata', 'name') ?? ''
      const names = [name, textAt(runner, 'status', 'runnerName') ?? name].map((one) => one.toLowerCase())
      const isNamed = names.some((one) => busy.has(one) || inProgress.has(one))
      const key = `${textAt(runner, 'metadata', 'namespace') ?? 'default'}/${name}`
      return isNamed || hasJobField(runner) ? [key] : []
    }),
  )
}

const TEXTS = ['jobId', 'jobRepositoryName', 'jobDisplayName', 'jobWorkflowRef'] as const
const NUMBERS = ['jobRequestId', 'workflowRunId'] as const

function hasJobField(runner: unknown): boolean {
  return (
    TEXTS.some((field) => textAt(runner, 'status', field) !== null) ||
    NUMBERS.some((field) => (numberAt(runner, 'status', field) ?? 0) > 0)
  )
}

function at(row: unknown, key: string): unknown {
  return typeof row === 'object' && row !== null ? (row as Readonly<Record<string, unknown>>)[key] : undefined
}

function listRows(files: Files, name: string, key: string): readonly unknown[] {
  const document = parsed(readText(files, name))
  return Array.isArray(document) ? (document as readonly unknown[]) : listAt(document, key)
}

function singleJobs(files: Files): readonly unknown[] {
  return [...files.keys()]
    .filter((name) => /^github\/jobs\/\d+\.json$/.test(name))
    .map((name) => parsed(readText(files, name)))
}

/** Some fleets have a document that does not parse: it proves nothing. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function listNames(rows: readonly unknown[], key: string): ReadonlySet<string> {
  return new Set(rows.flatMap((row) => textAt(row, key)?.toLowerCase() ?? []))
}
