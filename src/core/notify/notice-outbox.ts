import type { Death } from '#/core/recorder/death.ts'
import { byTime, groupDeaths, sharedKey, findShared } from './grouping.ts'
import type { Group, Shared } from './grouping.ts'
import { addCounted, countIn } from './notice.ts'
import type { About, Counted, Notice } from './notice.ts'
import { affordableAt, spend } from './rate.ts'
import type { Bucket, Rate } from './rate.ts'

export type NoticeOutboxSettings = {
  /** How long the first death of a group waits for others. */
  readonly settleMs: number
  /** The longest pause between two deaths of one group. */
  readonly windowMs: number
  /** The shortest time between two notices about the same group. */
  readonly followUpMs: number
  readonly rate: Rate
  /** One notice for each death. It waits as long as the rate limit requires, and nothing is only counted. */
  readonly isPerDeath: boolean
  /** Deaths beyond this number are only counted. */
  readonly mostWaiting: number
}

/** What one channel still has to send, and what its rate limit allows. */
export type NoticeOutbox = {
  readonly waiting: readonly Waiting[]
  /** Groups that were sent and may still grow. */
  readonly open: readonly OpenGroup[]
  /** With one notice for each death: those that are due. */
  readonly ready: readonly Notice[]
  readonly counted: Counted | null
  readonly countedAt: number
  readonly bucket: Bucket
  /** Something was due and the rate limit held it back. */
  readonly isLimited: boolean
}

type Waiting = { readonly death: Death; readonly since: number }
type OpenGroup = {
  readonly shared: Shared
  readonly from: number
  readonly to: number
  readonly count: number
  readonly sentAt: number
}

/** `lookAt`: when to look again if nothing new arrives; null where nothing waits. */
export type Issue = { readonly outbox: NoticeOutbox; readonly notice: Notice | null; readonly lookAt: number | null }

const MOST_OPEN = 200

export function emptyOutbox(bucket: Bucket): NoticeOutbox {
  return { waiting: [], open: [], ready: [], counted: null, countedAt: 0, bucket, isLimited: false }
}

export function receive(
  outbox: NoticeOutbox,
  settings: NoticeOutboxSettings,
  deaths: readonly Death[],
  now: number,
): NoticeOutbox {
  const room = Math.max(0, settings.mostWaiting - outbox.waiting.length - outbox.ready.length)
  const waiting = [...outbox.waiting, ...deaths.slice(0, room).map((death) => ({ death, since: now }))]
  return countOnly({ ...outbox, waiting }, countIn(null, deaths.slice(room)), now)
}

/** They are only counted, in the next notice or in one of their own. */
export function countOnly(outbox: NoticeOutbox, counted: Counted | null, now: number): NoticeOutbox {
  if (counted === null) return outbox
  const countedAt = outbox.counted === null ? now : outbox.countedAt
  return { ...outbox, counted: addCounted(outbox.counted, counted), countedAt }
}

export function issue(given: NoticeOutbox, settings: NoticeOutboxSettings, now: number): Issue {
  const outbox = { ...given, open: stillOpen(given.open, settings, now) }
  return settings.isPerDeath ? issueOne(outbox, settings, now) : issueGroup(outbox, settings, now)
}

function issueGroup(outbox: NoticeOutbox, settings: NoticeOutboxSettings, now: number): Issue {
  const { due, nextAt } = pendingGroups(outbox, settings, now)
  const isCountDue = outbox.counted !== null && outbox.countedAt + settings.settleMs <= now
  if (due.length === 0 && !isCountDue) {
    const counts = outbox.counted === null ? [] : [outbox.countedAt + settings.settleMs]
    return { outbox, notice: null, lookAt: earliest([...(nextAt === null ? [] : [nextAt]), ...counts]) }
  }
  const bucket = spend(settings.rate, outbox.bucket, now)
  if (bucket === null) {
    const limited = { ...outbox, isLimited: true }
    return { outbox: limited, notice: null, lookAt: affordableAt(settings.rate, outbox.bucket, now) }
  }
  return issueFirst({ ...outbox, bucket }, due, now)
}

/** The largest group in full; after the rate limit, the others only as a count. */
function issueFirst(outbox: NoticeOutbox, [first, ...rest]: readonly PendingGroup[], now: number): Issue {
  const held = outbox.isLimited ? rest.flatMap(({ group }) => group.deaths) : []
  const issued = new Set([...(first?.group.deaths ?? []), ...held])
  const waiting = outbox.waiting.filter(({ death }) => !issued.has(death))
  const since =
    earliest(outbox.waiting.filter(({ death }) => issued.has(death)).map((one) => one.since)) ?? outbox.countedAt
  const more = countIn(outbox.counted, held)
  const about = first === undefined ? null : toAbout(first)
  const open = first === undefined ? outbox.open : withSent(outbox.open, first, now)
  return {
    outbox: { ...outbox, waiting, open, counted: null, isLimited: false },
    notice: { id: noticeId(about, more, now), issuedAt: now, since, about, more, isTest: false },
    lookAt: now,
  }
}

function issueOne(outbox: NoticeOutbox, settings: NoticeOutboxSettings, now: number): Issue {
  const spread = spreadDue(outbox, settings, now)
  const [notice, ...ready] = spread.ready
  if (notice === undefined) {
    return { outbox: spread, notice: null, lookAt: pendingGroups(spread, settings, now).nextAt }
  }
  const bucket = spend(settings.rate, spread.bucket, now)
  if (bucket === null) return { outbox: spread, notice: null, lookAt: affordableAt(settings.rate, spread.bucket, now) }
  return { outbox: { ...spread, ready, bucket }, notice: { ...notice, issuedAt: now }, lookAt: now }
}

/** Turns groups that are due into one notice for each death, with the size of the group. */
function spreadDue(outbox: NoticeOutbox, settings: NoticeOutboxSettings, now: number): NoticeOutbox {
  const { due } = pendingGroups(outbox, settings, now)
  const sinceByDeath = new Map(outbox.waiting.map(({ death, since }) => [death, since]))
  const notices = due.flatMap((pending): readonly Notice[] => {
    const { deaths, others, ...about } = toAbout(pending)
    return deaths.map((death) => {
      const own: About = { ...about, deaths: [death], others: others + deaths.length - 1 }
      const since = sinceByDeath.get(death) ?? now
      return { id: noticeId(own, null, now), issuedAt: now, since, about: own, more: null, isTest: false }
    })
  })
  const issued = new Set(due.flatMap(({ group }) => group.deaths))
  const waiting = outbox.waiting.filter(({ death }) => !issued.has(death))
  const open = due.reduce((groups, pending) => withSent(groups, pending, now), outbox.open)
  return { ...outbox, waiting, open, ready: [...outbox.ready, ...notices] }
}

type PendingGroup = { readonly group: Group; readonly before: OpenGroup | null; readonly dueAt: number }
type PendingGroups = {
  /** The groups that are due, the largest first. */
  readonly due: readonly PendingGroup[]
  /** When the next may be due. */
  readonly nextAt: number | null
}

/** What waits, grouped: with a group that was sent before, or as a new one. */
function pendingGroups(outbox: NoticeOutbox, settings: NoticeOutboxSettings, now: number): PendingGroups {
  const { windowMs, settleMs, followUpMs } = settings
  const sinceByDeath = new Map(outbox.waiting.map(({ death, since }) => [death, since]))
  let left = outbox.waiting.map(({ death }) => death).toSorted(byTime)
  const joined = outbox.open.flatMap((before): readonly PendingGroup[] => {
    // A death that waited when that group was sent was not part of it.
    const later = left.filter((death) => (sinceByDeath.get(death) ?? 0) > before.sentAt)
    const deaths = joining(before, later, windowMs)
    if (deaths.length === 0) return []
    const taken = new Set(deaths)
    left = left.filter((death) => !taken.has(death))
    return [{ group: { shared: before.shared, deaths }, before, dueAt: before.sentAt + followUpMs }]
  })
  const firstDue = (deaths: readonly Death[]): number =>
    (earliest(deaths.map((death) => sinceByDeath.get(death) ?? 0)) ?? Infinity) + settleMs
  // While nothing new is due, grouping is not needed.
  const isAnyDue = firstDue(left) <= now
  const groups = isAnyDue ? groupDeaths(left, windowMs) : []
  const fresh = groups.map((group): PendingGroup => ({ group, before: null, dueAt: firstDue(group.deaths) }))
  const all = [...joined, ...fresh].toSorted((a, b) => b.group.deaths.length - a.group.deaths.length)
  const times = [...all.map(({ dueAt }) => dueAt), ...(isAnyDue || left.length === 0 ? [] : [firstDue(left)])]
  return { due: all.filter(({ dueAt }) => dueAt <= now), nextAt: earliest(times) }
}

function joining(open: OpenGroup, sorted: readonly Death[], windowMs: number): readonly Death[] {
  const own = sorted.filter((death) => {
    const shared = findShared(death, open.shared.by)
    return shared !== null && sharedKey(shared) === sharedKey(open.shared)
  })
  let to = open.to
  return own.filter(({ diedAt }) => {
    const joins = diedAt >= open.from - windowMs && diedAt <= to + windowMs
    if (joins) to = Math.max(to, diedAt)
    return joins
  })
}

function toAbout({ group, before }: PendingGroup): About {
  const [first, ...rest] = group.deaths
  if (first === undefined) throw new TypeError('a group of deaths is empty')
  const last = rest.at(-1) ?? first
  return {
    shared: group.shared,
    deaths: [first, ...rest],
    others: before?.count ?? 0,
    from: Math.min(first.diedAt, before?.from ?? first.diedAt),
    to: Math.max(last.diedAt, before?.to ?? last.diedAt),
  }
}

function withSent(open: readonly OpenGroup[], pending: PendingGroup, now: number): readonly OpenGroup[] {
  const { shared, deaths, others, from, to } = toAbout(pending)
  const sent: OpenGroup = { shared, from, to, count: others + deaths.length, sentAt: now }
  return [sent, ...open.filter((one) => one !== pending.before)].slice(0, MOST_OPEN)
}

/** A death is reported some time after it happened, so a group stays open a while beyond its window. */
function stillOpen(open: readonly OpenGroup[], settings: NoticeOutboxSettings, now: number): readonly OpenGroup[] {
  const { windowMs, followUpMs } = settings
  return open.filter(({ to, sentAt }) => now - Math.max(to, sentAt) <= windowMs + 2 * followUpMs)
}

function noticeId(about: About | null, more: Counted | null, now: number): string {
  const named = about === null ? `more-${more?.uids[0] ?? ''}` : about.deaths[0].uid
  return `${named}-${now}`
}

function earliest(times: readonly number[]): number | null {
  return times.length === 0 ? null : times.reduce((first, time) => Math.min(first, time))
}
