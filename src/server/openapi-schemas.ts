import { z } from 'zod'
import type { Death } from '#/core/recorder/death.ts'
import type { DeathFilter } from '#/ports/store/deaths.ts'
import type { PresentPod } from '#/ports/store/live-pods.ts'
import type { RejudgePage } from '#/runtime/recorder/rejudge.ts'

export const SCHEMA_VERSION = 1
const MOST_ROWS = 1000
const USUAL_ROWS = 100
const LONGEST_TEXT = 500

/** Response documents, by their name in the API description. */
export const documents = z.registry<{ readonly id: string }>()

export function document<S extends z.ZodType>(id: string, schema: S): S {
  documents.add(schema, { id })
  return schema
}

export const milliseconds = z.int().meta({ description: 'Milliseconds since 1970, UTC' })
const orNull = (description: string) => z.string().nullable().meta({ description })

const job = z.strictObject({ id: z.int().nullable(), name: z.string().nullable(), url: z.string().nullable() })
const blind = z.strictObject({
  source: z.string().meta({ description: 'As in the evidence bundle: kubernetes/events, journal/NODE, …' }),
  reason: z.string(),
})

const death: z.ZodType<Death> = document(
  'Death',
  z.strictObject({
    uid: z.string().meta({ description: "The pod's UID" }),
    namespace: z.string(),
    pod: z.string(),
    node: orNull('Null if it was never scheduled'),
    pool: orNull('The scale set or other pool of the runner'),
    runner: orNull("GitHub's name for the runner"),
    repository: orNull("The job's repository, OWNER/NAME"),
    workflow: orNull("The job's workflow"),
    job: job.nullable(),
    diedAt: milliseconds,
    recordedAt: milliseconds,
    cause: z.string().meta({ description: 'One of docs/causes, or `unknown`' }),
    kind: z.string().meta({ description: 'death, never-started, not-a-death or unknown' }),
    confidence: z.number().min(0).max(1).meta({ description: '0 until it is judged' }),
    actor: orNull('Who did it, if known'),
    sentence: z.string().meta({ description: 'What happened, for a person' }),
    next: z.array(z.string()).meta({ description: 'What to do about it' }),
    exitCode: z.int().nullable(),
    signal: z.int().nullable(),
    reason: orNull('As Kubernetes reports it for the runner container or the pod'),
    message: orNull('As Kubernetes reports it for the runner container or the pod'),
    blind: z.array(blind).meta({ description: 'What could not be seen, and why' }),
    missed: z.boolean().meta({ description: 'The pod went while nothing was watching' }),
  }),
)

export const schemaVersion = z.literal(SCHEMA_VERSION)
export const nextPage = z
  .string()
  .nullable()
  .meta({ description: 'Value for `after` to get the next page; null on the last page' })

const presentPod: z.ZodType<PresentPod> = z.strictObject({
  uid: z.string(),
  namespace: z.string(),
  pod: z.string(),
  node: z.string().nullable(),
  pool: z.string().nullable(),
  seenAt: milliseconds,
})

export const deathsPage = document(
  'Deaths',
  z.strictObject({
    schemaVersion,
    deaths: z.array(death),
    live: z.array(presentPod).meta({ description: 'With `name`: pods that have this name now, when last seen' }),
    next: nextPage,
  }),
)

const evidence = z.strictObject({
  source: z.string(),
  observed: z.enum(['seen', 'none', 'blind']),
  reason: orNull('Why it is blind, or a note'),
  bytes: z.int().min(0).meta({ description: 'Uncompressed size' }),
})

const formerVerdict = z.strictObject({
  cause: z.string(),
  kind: z.string(),
  confidence: z.number(),
  rules: z.string().meta({ description: 'The version of the rules that judged' }),
  judgedAt: milliseconds,
  sentence: z.string(),
})

export const oneDeath = document(
  'DeathWithEvidence',
  z.strictObject({
    schemaVersion,
    death,
    evidence: z.array(evidence),
    history: z.array(formerVerdict).meta({ description: 'Verdicts that a later one replaced, the latest first' }),
  }),
)

const verdict = z.strictObject({ cause: z.string(), confidence: z.number() })
const rejudged: z.ZodType<RejudgePage['changed'][number]> = z.strictObject({
  uid: z.string(),
  pod: z.string().meta({ description: 'NAMESPACE/NAME' }),
  diedAt: milliseconds,
  before: verdict.nullable().meta({ description: 'Null if it was not judged' }),
  after: verdict,
})

export const rejudgedPage = document(
  'Rejudged',
  z.strictObject({
    schemaVersion,
    judged: z.int().min(0),
    withoutEvidence: z.int().min(0).meta({ description: 'Clean ends have no evidence, and old evidence expires' }),
    changed: z.array(rejudged),
    next: nextPage,
  }),
)

export const hostsDocument = document(
  'Hosts',
  z.strictObject({
    schemaVersion,
    hosts: z.array(
      z.strictObject({
        node: z.string(),
        files: z
          .record(z.string(), z.string())
          .meta({ description: 'By name, as in the evidence bundle: proc/sys/fs/file-nr, proc/cgroups, …' }),
        unread: z.array(z.string()).meta({ description: 'What its agent could not read, and why' }),
      }),
    ),
  }),
)

export const versionDocument = document('Version', z.strictObject({ schemaVersion, version: z.string() }))

export const auditAnswer = document(
  'AuditAccepted',
  z.strictObject({ schemaVersion, received: z.int().min(0), kept: z.int().min(0) }),
)

export const problemDocument = document(
  'Problem',
  z
    .strictObject({
      type: z.string(),
      title: z.string(),
      status: z.int(),
      detail: z.string().meta({ description: 'What is wrong' }),
      advice: z.array(z.string()).meta({ description: 'What to do about it' }),
    })
    .meta({ description: 'RFC 9457' }),
)

/** What the API server's audit webhook sends. Only the fields we read are described. */
export const auditEvents = document(
  'AuditEventList',
  z.looseObject({
    kind: z.literal('EventList'),
    apiVersion: z.literal('audit.k8s.io/v1'),
    items: z.array(z.looseObject({ stage: z.string().optional(), verb: z.string().optional() })).max(100_000),
  }),
)

export const name = z.string().min(1).max(LONGEST_TEXT)
const whole = z
  .string()
  .regex(/^\d{1,16}$/, 'is not a whole number')
  .transform(Number)
export const moment = whole.pipe(z.int().min(0))
const cursor = z
  .string()
  .regex(/^-?\d{1,16}_.{1,200}$/, 'is not a value of `next`')
  .transform((text) => {
    const cut = text.indexOf('_')
    return { diedAt: Number(text.slice(0, cut)), uid: text.slice(cut + 1) }
  })

export const pageSize = whole
  .pipe(z.int().min(1).max(MOST_ROWS))
  .prefault(String(USUAL_ROWS))
  .meta({ description: `Page size; default ${USUAL_ROWS}` })

/** The query parameters of a list. */
export const deathsQuery = z.strictObject({
  since: moment.optional().meta({ description: 'Died at or after this time, in milliseconds since 1970' }),
  until: moment.optional().meta({ description: 'Died before this time, in milliseconds since 1970' }),
  cause: name.optional().meta({ description: 'Only this cause' }),
  kind: name.optional().meta({ description: 'Only this kind: death, never-started, not-a-death or unknown' }),
  node: name.optional().meta({ description: 'Only this node' }),
  pool: name.optional().meta({ description: 'Only this scale set' }),
  repository: name.optional().meta({ description: 'Only jobs of this repository: OWNER/NAME' }),
  job: whole.pipe(z.int().min(1)).optional().meta({ description: 'Only the job with this id' }),
  name: name.optional().meta({ description: 'Only the pod or runner with this name' }),
  limit: pageSize,
  after: cursor.optional().meta({ description: 'The value of `next` from the previous page' }),
})

export const rejudgeQuery = deathsQuery.extend({
  apply: z
    .enum(['true', 'false'])
    .prefault('false')
    .meta({ description: 'Store the new verdicts; by default they are only listed' }),
})

export const uidParameter = z.string().min(1).max(200).meta({ description: 'UID of the pod that died' })

/** Drops parameters that were not given. */
export function toFilter({ limit, ...asked }: z.output<typeof deathsQuery>): DeathFilter {
  const given = Object.entries(asked).filter(([, value]) => value !== undefined)
  return { ...(Object.fromEntries(given) as Omit<DeathFilter, 'limit'>), limit }
}
