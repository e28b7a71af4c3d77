import { z } from 'zod'
import { BLIND_CODES } from '#/core/basics/observed.ts'
import { HOST_FILES } from '#/ports/this-host.ts'
import type { PodOnHost } from '#/ports/this-host.ts'

/** The messages between server and agent. Both ends validate what they receive. */
export const PROTOCOL = 1
export const AUDIENCE = 'signalbox-agent'

export const PATHS = { poll: '/v1/agent/poll', answers: '/v1/agent/answers' } as const

/** How long the server holds a poll without questions. */
export const POLL_MS = 25_000

export const LIMITS = {
  pollBytes: 64 * 1024,
  /** Limit of the server's answer to a poll. */
  pollAnswerBytes: 4 * 1024 * 1024,
  /** Limit of one answer; journals are cut to fit. */
  answerBytes: 16 * 1024 * 1024,
  journalBytes: 8 * 1024 * 1024,
  logBytes: 1024 * 1024,
  /** Watched pods per node, and their containers in total. */
  watchedPods: 500,
  watchedContainers: 4000,
  /** Containers per pod. */
  containers: 100,
  nameLength: 253,
} as const

const nameText = z.string().min(1).max(LIMITS.nameLength)
const time = z.number().min(0).max(8.64e15)
const detail = z.string().max(2000)
const reason = z.strictObject({ code: z.enum(BLIND_CODES), detail })
const podOnHost = z.strictObject({
  uid: nameText,
  containers: z.array(z.strictObject({ name: nameText, id: nameText })).max(LIMITS.containers),
})

/** Drops containers that the agent would reject: one invalid entry would make it reject the whole message. */
export function containersTold(containers: PodOnHost['containers'], most: number = LIMITS.containers) {
  const isName = (text: string): boolean => text !== '' && text.length <= LIMITS.nameLength
  return containers.filter(({ name, id }) => isName(name) && isName(id)).slice(0, Math.min(most, LIMITS.containers))
}

const pressure = z.strictObject({ some: z.number(), full: z.number() })
const gauges = z.strictObject({
  openFiles: z.number().nullable(),
  openFilesMax: z.number().nullable(),
  /** Shares of the last ten seconds, 0 to 1. */
  pressure: z.partialRecord(z.enum(['cpu', 'memory', 'io']), pressure),
  cgroups: z.number().nullable(),
  /** Memory limit hits and OOM kills of the running runners. */
  limitHits: z.number(),
  oomKills: z.number(),
  heldLogs: z.number(),
})
export type Gauges = z.output<typeof gauges>

export const pollRequest = z.strictObject({
  protocol: z.literal(PROTOCOL),
  node: nameText,
  /** Identifies this process: a restarted agent has a new one. */
  session: z.uuid(),
  /** The version of its watch list. */
  watch: z.string().max(100).nullable(),
  gauges: gauges.nullable(),
})
export type PollRequest = z.output<typeof pollRequest>

const asked = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('journal'), since: time, until: time.nullable(), maxBytes: z.int().positive() }),
  z.strictObject({ kind: z.literal('files') }),
  z.strictObject({ kind: z.literal('cgroups'), pod: podOnHost }),
  z.strictObject({ kind: z.literal('logs'), uid: nameText, tailBytes: z.int().positive().max(LIMITS.logBytes) }),
])
export type Asked = z.output<typeof asked>

const question = z.strictObject({ id: z.uuid(), withinMs: z.int().positive(), asked })
export type Question = z.output<typeof question>

export const pollAnswer = z.strictObject({
  questions: z.array(question).max(100),
  watch: z.strictObject({ version: z.string().max(100), pods: z.array(podOnHost).max(LIMITS.watchedPods) }).nullable(),
})
export type PollAnswer = z.output<typeof pollAnswer>

/** Both become parts of a path: an agent must not choose where its evidence is stored. */
const containerName = z.string().regex(/^[a-z0-9][-a-z0-9]{0,62}$/)
const counterName = z.string().regex(/^[a-z]{1,20}\.[a-z_]{1,50}$/)

/** The first line of an answer's body. For a journal, its lines follow. */
export const answerHead = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('blind'), reason }),
  z.strictObject({ kind: z.literal('none') }),
  z.strictObject({
    kind: z.literal('journal'),
    from: time,
    to: time.nullable(),
    gaps: z.array(reason).max(100),
  }),
  z.strictObject({
    kind: z.literal('files'),
    files: z.partialRecord(
      z.enum(HOST_FILES),
      z.discriminatedUnion('kind', [
        z.strictObject({ kind: z.literal('seen'), value: z.string() }),
        z.strictObject({ kind: z.literal('none') }),
        z.strictObject({ kind: z.literal('blind'), reason }),
      ]),
    ),
  }),
  z.strictObject({
    kind: z.literal('cgroups'),
    copies: z
      .array(
        z.strictObject({
          container: containerName.nullable(),
          /** Null: read for this question. */
          readAt: time.nullable(),
          files: z.record(counterName, z.string().max(65_536)),
        }),
      )
      .max(200),
  }),
  z.strictObject({
    kind: z.literal('logs'),
    logs: z
      .array(z.strictObject({ container: nameText, previous: z.boolean(), text: z.string(), cut: z.boolean() }))
      .max(200),
  }),
])
export type AnswerHead = z.output<typeof answerHead>
