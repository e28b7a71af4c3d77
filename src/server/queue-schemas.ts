import { z } from 'zod'
import { WAIT_REASONS } from '#/core/dispatch/explain-queue.ts'
import { JOB_STATES, RETURN_REASONS } from '#/core/dispatch/job.ts'
import { SCOPES } from '#/core/pools/runner-pool.ts'
import { OPEN_OUTCOMES } from '#/core/webhooks/outcome.ts'
import { ledgerRow } from './ledger-schemas.ts'
import { document, name, pageSize, schemaVersion } from './openapi-schemas.ts'

const time = z.string().meta({ description: 'RFC 3339, UTC' })
const pool = z.string().meta({ description: 'NAMESPACE/NAME' })
const count = z.int().min(0)
const dispatch = z.boolean().meta({ description: 'False: this server has no pools of its own' })
const truncated = z.boolean().meta({ description: 'There is more than the answer has' })
const blindSources = z
  .array(z.strictObject({ source: z.enum(['pools', 'pods']), reason: z.string() }))
  .meta({ description: 'What could not be seen now' })
const runner = z.strictObject({ id: z.int().nullable(), name: z.string() })
const ofPool = name.optional().meta({ description: 'Only this pool: NAMESPACE/NAME, or NAME' })
const ofRepository = name.optional().meta({ description: 'Only jobs of this repository: OWNER/NAME' })

/** Text of several values from a list, separated by commas. */
function several<const T extends readonly [string, ...string[]]>(values: T) {
  return z
    .string()
    .max(500)
    .transform((text) => text.split(','))
    .pipe(z.array(z.enum(values)))
}

export const queueQuery = z.strictObject({
  pool: ofPool,
  repository: ofRepository,
  limit: pageSize.meta({ description: 'Waiting jobs of each pool; default 100' }),
})

const waitingJob = z.strictObject({
  id: z.int(),
  runId: z.int(),
  repository: z.string(),
  workflow: z.string(),
  name: z.string(),
  labels: z.array(z.string()),
  pool,
  queuedAt: time,
  recoveries: count.meta({ description: 'How often it went back to the queue' }),
  notBefore: time.nullable().meta({ description: 'When its back-off ends; null: it is due, or parked' }),
  place: z.int().min(1).nullable().meta({ description: '1 for the next; null: it may have no pod now' }),
  waits: z.enum(WAIT_REASONS),
  why: z.string().meta({ description: 'One sentence for people' }),
})

const waitCounts = z.strictObject(
  Object.fromEntries(WAIT_REASONS.map((reason) => [reason, count])) as Record<
    (typeof WAIT_REASONS)[number],
    typeof count
  >,
)

const replicas = z.strictObject({ starting: count, idle: count, busy: count, terminating: count })

const poolQueue = z.strictObject({
  pool,
  registration: z
    .enum(SCOPES)
    .nullable()
    .meta({ description: 'Under `organization` GitHub decides which fitting job a runner gets; null: not known' }),
  unusable: z.string().nullable().meta({ description: 'Why nobody matches its jobs' }),
  replicas,
  room: count.meta({ description: 'Further pods that its maximum permits' }),
  waiting: count,
  counts: waitCounts.meta({ description: 'Its waiting jobs by what they wait for' }),
  oldestQueuedAt: time.nullable(),
})

export const openBreaker = z.strictObject({
  key: z.string(),
  why: z.string(),
  until: time.meta({ description: 'When the next attempt may be made' }),
})

export const queueDocument = document(
  'Queue',
  z.strictObject({
    schemaVersion,
    dispatch,
    blind: blindSources,
    pools: z.array(poolQueue),
    jobs: z.array(waitingJob).meta({ description: 'By pool; those that are next first' }),
    truncated,
    breakers: z.array(openBreaker),
    unmatched: z
      .array(
        z.strictObject({
          guid: z.string(),
          event: z.string(),
          receivedAt: time,
          job: z.int().nullable(),
          repository: z.string().nullable(),
          outcome: z.enum(OPEN_OUTCOMES as [string, ...string[]]),
          why: z.string().nullable(),
          attempts: count,
        }),
      )
      .meta({ description: 'The latest webhooks that fitted nothing, or could not be applied; without their bodies' }),
  }),
)

export const SHOWN_STATES = [...JOB_STATES, 'parked'] as const

export const jobsQuery = z.strictObject({
  state: several(SHOWN_STATES)
    .optional()
    .meta({ description: `Only these, separated by commas: ${SHOWN_STATES.join(', ')}; default: all` }),
  pool: ofPool,
  repository: ofRepository,
  limit: pageSize.meta({ description: 'At most so many; default 100' }),
})

const job = z.strictObject({
  id: z.int(),
  runId: z.int(),
  runAttempt: z.int(),
  repository: z.string(),
  workflow: z.string(),
  name: z.string(),
  labels: z.array(z.string()),
  pool,
  queuedAt: time,
  state: z.enum(SHOWN_STATES).meta({ description: '`parked`: queued, and never due until somebody retries it' }),
  since: time.nullable().meta({ description: 'When it came to this state; null: see its history' }),
  generation: z.int(),
  recoveries: count,
  notBefore: time.nullable(),
  slot: z.string().nullable().meta({ description: 'UID of the pod that holds it' }),
  runner: runner.nullable(),
  conclusion: z.string().nullable(),
})

export const jobsDocument = document('Jobs', z.strictObject({ schemaVersion, jobs: z.array(job), truncated }))

export const oneJob = document(
  'JobWithHistory',
  z.strictObject({
    schemaVersion,
    job,
    waiting: waitingJob
      .pick({ place: true, waits: true, why: true })
      .nullable()
      .meta({ description: 'Why it has no pod yet; null if it does not wait' }),
    history: z.array(
      z.strictObject({
        generation: z.int(),
        at: time,
        event: z.string(),
        from: z.enum(JOB_STATES).nullable(),
        to: z.enum(JOB_STATES),
        by: z.string().meta({ description: '`github`, `dispatch`, `signalbox/LOOP`, or the person' }),
        reason: z.enum(RETURN_REASONS).nullable().meta({ description: 'Why it went back to the queue' }),
        slot: z.string().nullable(),
        pod: z.string().nullable().meta({ description: 'NAMESPACE/NAME of the slot' }),
        runner: runner.nullable(),
        conclusion: z.string().nullable(),
        ledger: z.int().nullable().meta({ description: 'The row of the ledger about it' }),
      }),
    ),
    truncated: truncated.meta({ description: 'The history has more rows; these are the latest' }),
    ledger: z.array(ledgerRow).meta({ description: 'Acts on the job, the latest first' }),
  }),
)

export const retriedDocument = document(
  'RetriedJob',
  z.strictObject({ schemaVersion, job, ledger: z.int().meta({ description: 'The row of the ledger' }) }),
)

export const RUNNER_STATES = ['warm', 'claimed', 'minted', 'registered', 'executing'] as const

export const runnersQuery = z.strictObject({
  state: several(RUNNER_STATES)
    .optional()
    .meta({ description: `Only these, separated by commas: ${RUNNER_STATES.join(', ')}` }),
  pool: ofPool,
  repository: ofRepository,
  limit: pageSize.meta({ description: 'At most so many; default 100' }),
})

const held = z.strictObject({ id: z.int(), repository: z.string().nullable(), name: z.string().nullable() })

export const runnersDocument = document(
  'Runners',
  z.strictObject({
    schemaVersion,
    dispatch,
    blind: blindSources,
    runners: z.array(
      z.strictObject({
        uid: z.string().meta({ description: 'Of the pod, which is the slot' }),
        namespace: z.string(),
        pod: z.string(),
        pool,
        node: z.string().nullable(),
        state: z.enum(RUNNER_STATES),
        life: z
          .enum(['scheduling', 'starting', 'waiting', 'running', 'failing', 'ended'])
          .nullable()
          .meta({ description: 'Of the pod; null: it is not seen' }),
        obstacle: z.string().nullable().meta({ description: 'What keeps the pod from starting' }),
        appearedAt: time,
        since: time.meta({ description: 'When it came to this state' }),
        intended: held.nullable().meta({ description: 'The job that it was given, as far as we know' }),
        executing: held.nullable().meta({ description: 'The job that GitHub gave it' }),
        runner: runner.nullable(),
      }),
    ),
    truncated,
  }),
)

export const poolsQuery = z.strictObject({ pool: ofPool })

export const poolsDocument = document(
  'Pools',
  z.strictObject({
    schemaVersion,
    dispatch,
    blind: blindSources,
    pools: z.array(
      z.strictObject({
        pool,
        labels: z.array(z.string()),
        github: z
          .strictObject({
            scope: z.enum(SCOPES),
            owner: z.string(),
            repositories: z.array(z.string()),
            runnerGroup: z.string().nullable(),
            credential: z.string().meta({ description: 'Its name' }),
          })
          .nullable(),
        size: z.strictObject({ warm: count, max: count }).nullable(),
        deleting: z.boolean(),
        replicas,
        queued: z.strictObject({ dispatchable: count, withheld: count }),
        conditions: z
          .array(
            z.strictObject({
              type: z.string(),
              status: z.string(),
              reason: z.string().nullable(),
              message: z.string().nullable(),
              since: z.string().nullable(),
            }),
          )
          .meta({ description: 'Of the object; a pool from a file has only what this server knows' }),
        problems: z.array(z.string()).meta({ description: 'The mistakes of its spec, with their fields' }),
      }),
    ),
  }),
)
