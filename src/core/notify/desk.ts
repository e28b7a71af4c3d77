import type { Death } from '#/core/recorder/death.ts'
import { byTime, groupDeaths, keyOf, sharedOf } from '#/core/notify/grouping.ts'
import type { Group, Shared } from '#/core/notify/grouping.ts'
import { addCounted, countIn } from '#/core/notify/notice.ts'
import type { About, Counted, Notice } from '#/core/notify/notice.ts'
import { affordableAt, spend } from '#/core/notify/rate.ts'
import type { Bucket, Rate } from '#/core/notify/rate.ts'

export type DeskSettings = {
  /** How long the first death of a group waits for others. */
  readonly settleMs: number
  /** The longest pause between two deaths of one group. */
  readonly windowMs: number
  /** Those that join a group that was told are told at most this often. */
  readonly followUpMs: number
  readonly rate: Rate
  /** One notice for each death. It waits for its turn however long the limit makes it, and nothing is told by number. */
  readonly isPerDeath: boolean
  /** More than this many that wait are only counted. */
  readonly mostWaiting: number
}

/** What one channel has still to tell, and what it may. */
export type Desk = {
  readonly waiting: readonly Waiting[]
  /** Told groups that may still grow. */
  readonly open: readonly OpenGroup[]
  /** Of a desk that tells each death alone: those whose turn has come. */
  readonly ready: readonly Notice[]
  readonly counted: Counted | null
  readonly countedAt: number
  readonly bucket: Bucket
  /** Something was due and the limit held it back. */
  readonly isLimited: boolean
}

type Waiting = { readonly death: Death; readonly since: number }
type OpenGroup = {
  readonly shared: Shared
  readonly from: number
  readonly to: number
  readonly told: number
  readonly toldAt: number
}

/** `lookAt`: when to ask again, where nobody brings anything before; null where nothing waits. */
export type Issue = { readonly desk: Desk; readonly notice: Notice | null; readonly lookAt: number | null }

const MOST_OPEN = 200

export function emptyDesk(bucket: Bucket): Desk {
  return { waiting: [], open: [], ready: [], counted: null, countedAt: 0, bucket, isLimited: false }
}

export function receive(desk: Desk, settings: DeskSettings, deaths: readonly Death[], now: number): Desk {
  const room = Math.max(0, settings.mostWaiting - desk.waiting.length - desk.ready.length)
  const waiting = [...desk.waiting, ...deaths.slice(0, room).map((death) => ({ death, since: now }))]
  return countOnly({ ...desk, waiting }, countIn(null, deaths.slice(room)), now)
}

/** They are told by their number, with the next notice or in one of their own. */
export function countOnly(desk: Desk, counted: Counted | null, now: number): Desk {
  if (counted === null) return desk
  const countedAt = desk.counted === null ? now : desk.countedAt
  return { ...desk, counted: addCounted(desk.counted, counted), countedAt }
}

export function issue(given: Desk, settings: DeskSettings, now: number): Issue {
  const desk = { ...given, open: stillOpen(given.open, settings, now) }
  return settings.isPerDeath ? issueOne(desk, settings, now) : issueGroup(desk, settings, now)
}

function issueGroup(desk: Desk, settings: DeskSettings, now: number): Issue {
  const { due, nextAt } = tellingsOf(desk, settings, now)
  const isCountDue = desk.counted !== null && desk.countedAt + settings.settleMs <= now
  if (due.length === 0 && !isCountDue) {
    const counts = desk.counted === null ? [] : [desk.countedAt + settings.settleMs]
    return { desk, notice: null, lookAt: earliest([...(nextAt === null ? [] : [nextAt]), ...counts]) }
  }
  const bucket = spend(settings.rate, desk.bucket, now)
  if (bucket === null) {
    const limited = { ...desk, isLimited: true }
    return { desk: limited, notice: null, lookAt: affordableAt(settings.rate, desk.bucket, now) }
  }
  return tellFirst({ ...desk, bucket }, due, now)
}

/** The largest in full; after a limit lifted, the others by their number. */
function tellFirst(desk: Desk, [first, ...rest]: readonly Telling[], now: number): Issue {
  const held = desk.isLimited ? rest.flatMap(({ group }) => group.deaths) : []
  const told = new Set([...(first?.group.deaths ?? []), ...held])
  const waiting = desk.waiting.filter(({ death }) => !told.has(death))
  const since = earliest(desk.waiting.filter(({ death }) => told.has(death)).map((one) => one.since)) ?? desk.countedAt
  const more = countIn(desk.counted, held)
  const about = first === undefined ? null : aboutOf(first)
  const open = first === undefined ? desk.open : withTold(desk.open, first, now)
  return {
    desk: { ...desk, waiting, open, counted: null, isLimited: false },
    notice: { id: idOf(about, more, now), issuedAt: now, since, about, more, isTest: false },
    lookAt: now,
  }
}

function issueOne(desk: Desk, settings: DeskSettings, now: number): Issue {
  const spread = spreadDue(desk, settings, now)
  const [notice, ...ready] = spread.ready
  if (notice === undefined) {
    return { desk: spread, notice: null, lookAt: tellingsOf(spread, settings, now).nextAt }
  }
  const bucket = spend(settings.rate, spread.bucket, now)
  if (bucket === null) return { desk: spread, notice: null, lookAt: affordableAt(settings.rate, spread.bucket, now) }
  return { desk: { ...spread, ready, bucket }, notice: { ...notice, issuedAt: now }, lookAt: now }
}

/** Groups whose time has come become one notice for each death, which knows how many there were. */
function spreadDue(desk: Desk, settings: DeskSettings, now: number): Desk {
  const { due } = tellingsOf(desk, settings, now)
  const sinceOf = new Map(desk.waiting.map(({ death, since }) => [death, since]))
  const notices = due.flatMap((telling): readonly Notice[] => {
    const { deaths, others, ...about } = aboutOf(telling)
    return deaths.map((death) => {
      const own: About = { ...about, deaths: [death], others: others + deaths.length - 1 }
      const since = sinceOf.get(death) ?? now
      return { id: idOf(own, null, now), issuedAt: now, since, about: own, more: null, isTest: false }
    })
  })
  const told = new Set(due.flatMap(({ group }) => group.deaths))
  const waiting = desk.waiting.filter(({ death }) => !told.has(death))
  const open = due.reduce((groups, telling) => withTold(groups, telling, now), desk.open)
  return { ...desk, waiting, open, ready: [...desk.ready, ...notices] }
}

type Telling = { readonly group: Group; readonly before: OpenGroup | null; readonly dueAt: number }
type Tellings = {
  /** Those whose time has come, the largest first. */
  readonly due: readonly Telling[]
  /** When the next may be due. */
  readonly nextAt: number | null
}

/** What waits, as it would be told: with a group that was told before, or as a new one. */
function tellingsOf(desk: Desk, settings: DeskSettings, now: number): Tellings {
  const { windowMs, settleMs, followUpMs } = settings
  const sinceOf = new Map(desk.waiting.map(({ death, since }) => [death, since]))
  let left = desk.waiting.map(({ death }) => death).toSorted(byTime)
  const joined = desk.open.flatMap((before): readonly Telling[] => {
    // Who waited when that group was told was not one of it.
    const later = left.filter((death) => (sinceOf.get(death) ?? 0) > before.toldAt)
    const deaths = joining(before, later, windowMs)
    if (deaths.length === 0) return []
    const taken = new Set(deaths)
    left = left.filter((death) => !taken.has(death))
    return [{ group: { shared: before.shared, deaths }, before, dueAt: before.toldAt + followUpMs }]
  })
  const firstOf = (deaths: readonly Death[]): number =>
    (earliest(deaths.map((death) => sinceOf.get(death) ?? 0)) ?? Infinity) + settleMs
  // While nothing new is due, nobody needs to know how it will be grouped.
  const isAnyDue = firstOf(left) <= now
  const groups = isAnyDue ? groupDeaths(left, windowMs) : []
  const fresh = groups.map((group): Telling => ({ group, before: null, dueAt: firstOf(group.deaths) }))
  const all = [...joined, ...fresh].toSorted((a, b) => b.group.deaths.length - a.group.deaths.length)
  const times = [...all.map(({ dueAt }) => dueAt), ...(isAnyDue || left.length === 0 ? [] : [firstOf(left)])]
  return { due: all.filter(({ dueAt }) => dueAt <= now), nextAt: earliest(times) }
}

function joining(open: OpenGroup, sorted: readonly Death[], windowMs: number): readonly Death[] {
  const own = sorted.filter((death) => {
    const shared = sharedOf(death, open.shared.by)
    return shared !== null && keyOf(shared) === keyOf(open.shared)
  })
  let to = open.to
  return own.filter(({ diedAt }) => {
    const joins = diedAt >= open.from - windowMs && diedAt <= to + windowMs
    if (joins) to = Math.max(to, diedAt)
    return joins
  })
}

function aboutOf({ group, before }: Telling): About {
  const [first, ...rest] = group.deaths
  if (first === undefined) throw new TypeError('a group has a death')
  const last = rest.at(-1) ?? first
  return {
    shared: group.shared,
    deaths: [first, ...rest],
    others: before?.told ?? 0,
    from: Math.min(first.diedAt, before?.from ?? first.diedAt),
    to: Math.max(last.diedAt, before?.to ?? last.diedAt),
  }
}

function withTold(open: readonly OpenGroup[], telling: Telling, now: number): readonly OpenGroup[] {
  const { shared, deaths, others, from, to } = aboutOf(telling)
  const told: OpenGroup = { shared, from, to, told: others + deaths.length, toldAt: now }
  return [told, ...open.filter((one) => one !== telling.before)].slice(0, MOST_OPEN)
}

/** A death is heard of some time after it, so a group stays open a while beyond its window. */
function stillOpen(open: readonly OpenGroup[], settings: DeskSettings, now: number): readonly OpenGroup[] {
  const { windowMs, followUpMs } = settings
  return open.filter(({ to, toldAt }) => now - Math.max(to, toldAt) <= windowMs + 2 * followUpMs)
}

function idOf(about: About | null, more: Counted | null, now: number): string {
  const named = about === null ? `more-${more?.uids[0] ?? ''}` : about.deaths[0].uid
  return `${named}-${now}`
}

function earliest(times: readonly number[]): number | null {
  return times.length === 0 ? null : times.reduce((first, time) => Math.min(first, time))
}
