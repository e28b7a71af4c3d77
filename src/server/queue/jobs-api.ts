import { Hono } from 'hono'
import type { z } from 'zod'
import { explainHistory } from '#/core/dispatch/explain-history.ts'
import type { HistoryEntry } from '#/core/dispatch/explain-history.ts'
import { isParked } from '#/core/dispatch/job.ts'
import type { Job, JobState } from '#/core/dispatch/job.ts'
import { toLedgerDocument } from '#/core/ledger/ledger-document.ts'
import type { LedgerRow } from '#/core/ledger/ledger-row.ts'
import type { Assignments } from '#/ports/store/assignments.ts'
import { MOST_READ, observeDispatch, viewPools } from '#/runtime/own-pools/observe-dispatch.ts'
import { retryJob } from '#/runtime/own-pools/retry-job.ts'
import type { Retried } from '#/runtime/own-pools/retry-job.ts'
import { showQueue } from '#/runtime/own-pools/show-queue.ts'
import { callerOf } from '#/server/access/caller.ts'
import { SCHEMA_VERSION } from '#/server/openapi-schemas.ts'
import { onlyAllows, sendProblem } from '#/server/request/problem.ts'
import type { Problem } from '#/server/request/problem.ts'
import { readQuery } from '#/server/request/read-query.ts'
import { toJob, toTime } from './documents.ts'
import { findPool } from './find-pool.ts'
import type { QueueOptions } from './options.ts'
import { jobsQuery } from '#/server/queue-schemas.ts'

const MOST_HISTORY = 500
const MOST_LEDGER = 100
/** Pods that are looked up for the history of one job. */
const MOST_PODS = 50

/** `/v1/jobs`: the jobs that this server knows, their histories, and a retry. */
export function jobsApi(options: QueueOptions): Hono {
  const { guards, admit, assignments, world } = options
  const api = new Hono()
  api.get('/', guards.read, admit, async (c) => {
    const query = readQuery(c, jobsQuery)
    if ('status' in query) return sendProblem(c, query)
    const found = findPool(query.pool, { declared: world?.book.declared() ?? { kind: 'none' } })
    if ('status' in found) return sendProblem(c, found)
    const jobs = await listJobs(assignments, { ...query, scope: found.scope })
    const truncated = jobs.length > query.limit
    return c.json({ schemaVersion: SCHEMA_VERSION, jobs: jobs.slice(0, query.limit).map(toJob), truncated })
  })
  api.all('/', guards.read, (c) => onlyAllows(c, ['GET', 'HEAD']))
  api.get('/:id', guards.read, admit, async (c) => {
    const job = await readJob(assignments, c.req.param('id'))
    return job === null ? sendProblem(c, ABSENT) : c.json(await showJob(job, options))
  })
  api.all('/:id', guards.read, (c) => onlyAllows(c, ['GET', 'HEAD']))
  api.post('/:id/retry', guards.operate, admit, async (c) => {
    const job = await readJob(assignments, c.req.param('id'))
    if (job === null) return sendProblem(c, ABSENT)
    const { actor } = callerOf(c)
    const retried = await retryJob(job.id, { actor, run: options.nameRun() }, options)
    if (retried.kind !== 'retried') return sendProblem(c, describeRefusal(retried))
    options.log.info('job retried', { actor, job: job.id })
    return c.json({ schemaVersion: SCHEMA_VERSION, job: toJob(retried.job), ledger: retried.ledger })
  })
  api.all('/:id/retry', guards.operate, (c) => onlyAllows(c, ['POST']))
  return api
}

type Asked = Pick<z.output<typeof jobsQuery>, 'state' | 'repository' | 'limit'> & {
  readonly scope: string | undefined
}

/** One more than is shown, where there are more. */
async function listJobs(
  assignments: Pick<Assignments, 'jobs'>,
  { state, repository, scope, limit }: Asked,
): Promise<readonly Job[]> {
  const wanted = state === undefined ? null : new Set(state)
  const isFiltered = wanted !== null && wanted.has('queued') !== wanted.has('parked')
  const states = wanted === null ? {} : { states: [...new Set([...wanted].map(storedState))] }
  const where = { ...states, ...(repository && { repository }), ...(scope && { scope }), latest: true } as const
  const jobs = await assignments.jobs({ ...where, limit: isFiltered ? MOST_READ : limit + 1 })
  // A parked job is stored as a queued one.
  return jobs.filter((job) => wanted?.has(isParked(job) ? 'parked' : job.state) ?? true).slice(0, limit + 1)
}

function storedState(state: JobState | 'parked'): JobState {
  return state === 'parked' ? 'queued' : state
}

async function readJob(assignments: Pick<Assignments, 'job'>, text: string): Promise<Job | null> {
  const id = /^\d{1,15}$/.test(text) ? Number(text) : null
  return id === null ? null : await assignments.job(id)
}

async function showJob(job: Job, options: QueueOptions) {
  const { assignments, ledger } = options
  const rows = await ledger.list({ name: String(job.id), limit: MOST_LEDGER })
  const own = rows.filter(({ subject }) => subject.kind === 'Job' && subject.namespace === job.repository)
  const history = await assignments.history(job.id)
  const entries = explainHistory(history.slice(-MOST_HISTORY), own)
  const pods = await namePods(assignments, entries)
  return {
    schemaVersion: SCHEMA_VERSION,
    job: toJob(job),
    waiting: job.state === 'queued' ? await explainWait(job, options) : null,
    history: entries.map(({ at, ...entry }) =>
      Object.assign({ at: toTime(at), pod: pods.get(entry.slot ?? '') ?? null }, entry),
    ),
    truncated: history.length > MOST_HISTORY,
    ledger: own.map((row: LedgerRow) => toLedgerDocument(row)),
  }
}

async function explainWait({ id, scope }: Job, options: QueueOptions) {
  const now = await observeDispatch(options)
  const view = viewPools(now).find((one) => one.scope === scope)
  if (view === undefined) return null
  const waiting = (await showQueue(view, now, options.assignments)).waiting.find(({ job }) => job.id === id)
  return waiting === undefined ? null : { place: waiting.place, waits: waiting.waits, why: waiting.why }
}

/** NAMESPACE/NAME by UID, of slots that are still stored. */
async function namePods(
  assignments: Pick<Assignments, 'slot'>,
  entries: readonly HistoryEntry[],
): Promise<ReadonlyMap<string, string>> {
  const uids = new Set(entries.flatMap(({ slot }) => slot ?? []))
  const names = new Map<string, string>()
  for (const uid of [...uids].slice(-MOST_PODS)) {
    const slot = await assignments.slot(uid)
    if (slot !== null) names.set(uid, `${slot.namespace}/${slot.pod}`)
  }
  return names
}

const ABSENT: Problem = {
  status: 404,
  detail: 'this server knows no such job',
  advice: ['list them: signalbox jobs list', 'a webhook that fitted no pool is in: signalbox queue'],
}

function describeRefusal(refused: Exclude<Retried, { kind: 'retried' }>): Problem {
  switch (refused.kind) {
    case 'absent':
      return ABSENT
    case 'not-held-back': {
      const detail =
        refused.state === 'queued'
          ? 'the job is due already: it waits for a pod'
          : `the job is ${refused.state}: only one that is parked, or waits for its back-off, is retried`
      return { status: 409, detail, advice: ['see what it waits for: signalbox queue'] }
    }
    case 'busy':
      return { status: 409, detail: 'something else changes the job right now', advice: ['try again'] }
  }
}
