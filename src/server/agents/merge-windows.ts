import type { HostJournalWindow } from '#/ports/this-host.ts'
import { LIMITS } from '#/protocol/limits.ts'
import type { Asked, AskedDeath } from '#/protocol/poll.ts'

export type AskedWindow = {
  readonly since: number
  /** Null: up to now. */
  readonly until: number | null
  readonly about: NonNullable<HostJournalWindow['about']> | null
}

/** Windows that overlap are read as one; no more deaths together than a question names. */
export function mergeWindows<T extends { readonly window: AskedWindow }>(all: readonly T[]): readonly (readonly T[])[] {
  const groups: T[][] = []
  let end = -Infinity
  for (const one of all.toSorted((a, b) => a.window.since - b.window.since)) {
    const { since, until } = one.window
    const last = groups.at(-1)
    if (last === undefined || since > end || last.length >= LIMITS.deaths) {
      groups.push([one])
      end = until ?? Infinity
    } else {
      last.push(one)
      end = Math.max(end, until ?? Infinity)
    }
  }
  return groups
}

/** The one question for windows that overlap. */
export function toAsked(windows: readonly AskedWindow[]): Extract<Asked, { kind: 'journal' }> {
  const since = windows.reduce((least, window) => Math.min(least, window.since), Infinity)
  const until = windows.reduce((most, window) => Math.max(most, window.until ?? Infinity), -Infinity)
  const deaths = new Map(windows.flatMap(({ about }) => (about === null ? [] : [[about.uid, toDeath(about)] as const])))
  return {
    kind: 'journal',
    since,
    until: until === Infinity ? null : until,
    maxBytes: LIMITS.journalBytes,
    about: withinRoom([...deaths.values()].filter(({ uid }) => isName(uid))),
  }
}

/** The answer to a poll is bounded, and so are the ids in it. */
function withinRoom(deaths: readonly AskedDeath[]): AskedDeath[] {
  let room: number = LIMITS.watchedContainers
  return deaths.map((death) => {
    const containerIds = death.containerIds.slice(0, room)
    room -= containerIds.length
    return { ...death, containerIds }
  })
}

/** Drops ids that the agent would reject. */
function toDeath({ uid, containerIds, at }: NonNullable<HostJournalWindow['about']>) {
  const ids = containerIds.map((id) => id.replace(/^.*:\/\//, '')).filter(isName)
  return { uid, containerIds: ids.slice(0, LIMITS.containers), at: Math.max(0, at) }
}

function isName(text: string): boolean {
  return text !== '' && text.length <= LIMITS.nameLength
}
