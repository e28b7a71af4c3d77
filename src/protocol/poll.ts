import { z } from 'zod'
import type { PodOnHost } from '#/ports/this-host.ts'
import { nameText, time } from './fields.ts'
import { LIMITS } from './limits.ts'
import { ACCEPTED } from './version.ts'

const podOnHost = z.strictObject({
  uid: nameText,
  containers: z.array(z.strictObject({ name: nameText, id: nameText })).max(LIMITS.containers),
})

/** Drops containers that the agent would reject: one invalid entry would make it reject the whole message. */
export function validContainers(containers: PodOnHost['containers'], most: number = LIMITS.containers) {
  const isName = (text: string): boolean => text !== '' && text.length <= LIMITS.nameLength
  return containers.filter(({ name, id }) => isName(name) && isName(id)).slice(0, Math.min(most, LIMITS.containers))
}

export const PRESSURE_RESOURCES = ['cpu', 'memory', 'io'] as const
const pressure = z.strictObject({ some: z.number(), full: z.number() })
const gauges = z.strictObject({
  openFiles: z.number().nullable(),
  openFilesMax: z.number().nullable(),
  /** Shares of the last ten seconds, 0 to 1. */
  pressure: z.partialRecord(z.enum(PRESSURE_RESOURCES), pressure),
  cgroups: z.number().nullable(),
  /** Memory limit hits and OOM kills of the running runners. */
  limitHits: z.number(),
  oomKills: z.number(),
  heldLogs: z.number(),
  /** Ended pods whose logs and counters wait until the server has stored them. */
  endedPods: z.number(),
  endedPodBytes: z.number(),
})
export type Gauges = z.output<typeof gauges>

export const pollRequest = z.strictObject({
  protocol: z.literal(ACCEPTED),
  node: nameText,
  /** Identifies this process: a restarted agent has a new one. */
  session: z.uuid(),
  /** The version of its watch list. */
  watch: z.string().max(100).nullable(),
  /** The version of the last list of stored pods that it acted on. */
  stored: z.string().max(100).nullable(),
  gauges: gauges.nullable(),
  /** Whether it may see the processes of the node. Version 2 does not say. */
  processes: z.boolean().nullish(),
})
export type PollRequest = z.output<typeof pollRequest>

const death = z.strictObject({ uid: nameText, containerIds: z.array(nameText).max(LIMITS.containers), at: time })
export type AskedDeath = z.output<typeof death>

const asked = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('journal'),
    since: time,
    until: time.nullable(),
    maxBytes: z.int().positive(),
    /** A journal above the bound is read around these. */
    about: z.array(death).max(LIMITS.deaths),
  }),
  z.strictObject({ kind: z.literal('files') }),
  z.strictObject({ kind: z.literal('cgroups'), pod: podOnHost }),
  z.strictObject({ kind: z.literal('logs'), uid: nameText, tailBytes: z.int().positive().max(LIMITS.logBytes) }),
  z.strictObject({ kind: z.literal('processes'), containerId: nameText }),
])
export type Asked = z.output<typeof asked>

const question = z.strictObject({ id: z.uuid(), withinMs: z.int().positive(), asked })
export type Question = z.output<typeof question>

export const pollAnswer = z.strictObject({
  questions: z.array(question).max(LIMITS.questions),
  watch: z.strictObject({ version: z.string().max(100), pods: z.array(podOnHost).max(LIMITS.watchedPods) }).nullable(),
  /** The evidence of these pods is stored: the agent may let go of it. */
  stored: z.strictObject({ version: z.string().max(100), uids: z.array(nameText).max(LIMITS.stored) }).nullable(),
})
export type PollAnswer = z.output<typeof pollAnswer>
