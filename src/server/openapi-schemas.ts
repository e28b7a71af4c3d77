import { z } from 'zod'
import type { Death } from '#/core/recorder/death.ts'
import type { PostmortemFilter } from '#/ports/store/deaths.ts'
import type { RejudgePage } from '#/runtime/recorder/rejudge.ts'

export const SCHEMA_VERSION = 1
export const MOST_DEATHS = 1000
const USUAL_DEATHS = 100
const LONGEST_TEXT = 500

/** What is told, by its name in the description. */
export const documents = z.registry<{ readonly id: string }>()

function document<S extends z.ZodType>(id: string, schema: S): S {
  documents.add(schema, { id })
  return schema
}

const milliseconds = z.int().meta({ description: 'Milliseconds since 1970, UTC' })
const orNull = (description: string) => z.string().nullable().meta({ description })

const job = z.strictObject({ id: z.int().nullable(), name: z.string().nullable(), url: z.string().nullable() })
const blind = z.strictObject({
  source: z.string().meta({ description: 'As in the evidence bundle: kubernetes/events, journal/NODE, …' }),
  reason: z.string(),
})

const death: z.ZodType<Death> = document(
  'Death',
  z.strictObject({
    uid: z.string().meta({ description: 'Of the pod' }),
    namespace: z.string(),
    pod: z.string(),
    node: orNull('Null where it never had one'),
    pool: orNull('The scale set, or what else the runner was one of'),
    runner: orNull('As GitHub calls it'),
    repository: orNull('OWNER/NAME of the job'),
    workflow: orNull('Of the job'),
    job: job.nullable(),
    diedAt: milliseconds,
    recordedAt: milliseconds,
    cause: z.string().meta({ description: 'One of docs/causes, or `unknown`' }),
    kind: z.string().meta({ description: 'death, never-started, not-a-death or unknown' }),
    confidence: z.number().min(0).max(1).meta({ description: '0 where it is not judged yet' }),
    actor: orNull('Who did it, as far as it is known'),
    sentence: z.string().meta({ description: 'What happened, for a person' }),
    next: z.array(z.string()).meta({ description: 'What to do about it' }),
    exitCode: z.int().nullable(),
    signal: z.int().nullable(),
    reason: orNull('Of the runner container or the pod, as Kubernetes gives it'),
    message: orNull('Of the runner container or the pod, as Kubernetes gives it'),
    blind: z.array(blind).meta({ description: 'What could not be seen, and why' }),
    missed: z.boolean().meta({ description: 'Nobody was looking when it went' }),
  }),
)

const schemaVersion = z.literal(SCHEMA_VERSION)
const next = z.string().nullable().meta({ description: 'For `after`: where the next page begins; null after the last' })

export const deathsPage = document('Deaths', z.strictObject({ schemaVersion, deaths: z.array(death), next }))

const evidence = z.strictObject({
  source: z.string(),
  observed: z.enum(['seen', 'none', 'blind']),
  reason: orNull('Why it is blind, or a remark'),
  bytes: z.int().min(0).meta({ description: 'Of its content, uncompressed' }),
})

export const oneDeath = document('PostMortem', z.strictObject({ schemaVersion, death, evidence: z.array(evidence) }))

const verdict = z.strictObject({ cause: z.string(), confidence: z.number() })
const rejudged: z.ZodType<RejudgePage['changed'][number]> = z.strictObject({
  uid: z.string(),
  pod: z.string().meta({ description: 'NAMESPACE/NAME' }),
  diedAt: milliseconds,
  before: verdict.nullable().meta({ description: 'Null where it was not judged' }),
  after: verdict,
})

export const rejudgedPage = document(
  'Rejudged',
  z.strictObject({
    schemaVersion,
    judged: z.int().min(0),
    withoutEvidence: z.int().min(0).meta({ description: 'Clean ends keep none, and that of old deaths expires' }),
    changed: z.array(rejudged),
    next,
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

/** What the API server's audit webhook sends. Of an event only what is looked at is described. */
export const auditEvents = document(
  'AuditEventList',
  z.looseObject({
    kind: z.literal('EventList'),
    apiVersion: z.literal('audit.k8s.io/v1'),
    items: z.array(z.looseObject({ stage: z.string().optional(), verb: z.string().optional() })).max(100_000),
  }),
)

const name = z.string().min(1).max(LONGEST_TEXT)
const whole = z
  .string()
  .regex(/^\d{1,16}$/, 'is not a whole number')
  .transform(Number)
const moment = whole.pipe(z.int().min(0))
const cursor = z
  .string()
  .regex(/^-?\d{1,16}_.{1,200}$/, 'is not what `next` said')
  .transform((text) => {
    const cut = text.indexOf('_')
    return { diedAt: Number(text.slice(0, cut)), uid: text.slice(cut + 1) }
  })

/** The parameters of a list, as they are written in an address. */
export const deathsQuery = z.strictObject({
  since: moment.optional().meta({ description: 'Died at this time or later: milliseconds since 1970' }),
  until: moment.optional().meta({ description: 'Died before this time: milliseconds since 1970' }),
  cause: name.optional().meta({ description: 'Of this cause only' }),
  kind: name.optional().meta({ description: 'Of this kind only: death, never-started, not-a-death or unknown' }),
  node: name.optional().meta({ description: 'On this node only' }),
  pool: name.optional().meta({ description: 'Of this scale set only' }),
  repository: name.optional().meta({ description: 'With a job of this repository only: OWNER/NAME' }),
  job: whole.pipe(z.int().min(1)).optional().meta({ description: 'With the job of this number only' }),
  name: name.optional().meta({ description: 'The pod or the runner of this name only' }),
  limit: whole
    .pipe(z.int().min(1).max(MOST_DEATHS))
    .prefault(String(USUAL_DEATHS))
    .meta({ description: `The most on one page; ${USUAL_DEATHS} without it` }),
  after: cursor.optional().meta({ description: 'What `next` of the page before said' }),
})

export const rejudgeQuery = deathsQuery.extend({
  apply: z
    .enum(['true', 'false'])
    .prefault('false')
    .meta({ description: 'Whether the stored verdicts are changed; without it they are only told' }),
})

export const uidParameter = z.string().min(1).max(200).meta({ description: 'Of the pod that died' })

/** A list without what nobody asked for. */
export function filterOf({ limit, ...asked }: z.output<typeof deathsQuery>): PostmortemFilter {
  const given = Object.entries(asked).filter(([, value]) => value !== undefined)
  return { ...(Object.fromEntries(given) as Omit<PostmortemFilter, 'limit'>), limit }
}
