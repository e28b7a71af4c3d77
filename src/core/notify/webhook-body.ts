import type { Death } from '#/core/recorder/death.ts'
import { shortened } from '#/core/notify/harmless.ts'
import { buildHeadline, buildText } from '#/core/notify/notice-text.ts'
import type { Notice } from '#/core/notify/notice.ts'

/** Changes only when a program that reads it would have to change. */
const SCHEMA_VERSION = 1
const MOST_DEATHS = 100
const LONGEST_TEXT = 2000
const LONGEST_LINE = 300
const MOST_LINES = 10

/** For programs: the deaths as in the API. */
export type WebhookBody = {
  readonly schemaVersion: number
  /** The same for each attempt, so that a receiver can drop duplicates. */
  readonly id: string
  readonly sentAt: string
  readonly test: boolean
  readonly headline: string
  readonly group: {
    readonly by: 'node' | 'pool'
    readonly node: string | null
    readonly pool: string | null
    readonly cause: string | null
    /** Including those in other notices. */
    readonly count: number
    readonly from: string
    readonly to: string
  } | null
  readonly deaths: readonly Death[]
  /** Deaths in this notice beyond the 100 that are listed. */
  readonly omitted: number
  readonly more: {
    readonly count: number
    readonly since: string
    readonly causes: Readonly<Record<string, number>>
  } | null
}

export function webhookBody(notice: Notice): WebhookBody {
  const { id, issuedAt, about, more, isTest } = notice
  const deaths = about?.deaths ?? []
  return {
    schemaVersion: SCHEMA_VERSION,
    id,
    sentAt: time(issuedAt),
    test: isTest,
    headline: isTest || about === null ? buildText(notice).headline : buildHeadline(about),
    group: toGroup(notice),
    deaths: deaths.slice(0, MOST_DEATHS).map(bounded),
    omitted: Math.max(0, deaths.length - MOST_DEATHS),
    more: more === null ? null : { count: more.count, since: time(more.since), causes: more.causes },
  }
}

function toGroup({ about }: Notice): WebhookBody['group'] {
  if (about === null) return null
  const { shared, deaths, others, from, to } = about
  const name =
    shared.by === 'node'
      ? { by: shared.by, node: shared.node, pool: null, cause: null }
      : { by: shared.by, node: null, pool: shared.pool, cause: shared.cause }
  return { ...name, count: deaths.length + others, from: time(from), to: time(to) }
}

function bounded(death: Death): Death {
  return {
    ...death,
    sentence: shortened(death.sentence, LONGEST_TEXT),
    message: death.message === null ? null : shortened(death.message, LONGEST_TEXT),
    next: death.next.slice(0, MOST_LINES).map((line) => shortened(line, LONGEST_LINE)),
    blind: death.blind.slice(0, MOST_LINES).map(({ source, reason }) => ({
      source: shortened(source, LONGEST_LINE),
      reason: shortened(reason, LONGEST_LINE),
    })),
  }
}

function time(ms: number): string {
  return new Date(ms).toISOString()
}
