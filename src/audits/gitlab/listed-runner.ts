import { at, listAt, numberAt, textAt, timeAt } from '#/core/basics/fields.ts'
import type { ConfiguredRunner } from './configured-runners.ts'

/** A runner as GitLab lists it. What only its details have is null without them. */
export type ListedRunner = {
  readonly id: number | null
  readonly description: string | null
  readonly isPaused: boolean
  /** `online`, `offline`, `stale`, `never_contacted`. */
  readonly status: string
  readonly type: string | null
  readonly isLocked: boolean | null
  readonly tags: readonly string[] | null
  readonly runsUntagged: boolean | null
  readonly contactedAt: number | null
}

export function readListedRunner(row: unknown): ListedRunner {
  const online = at(row, 'online')
  const tags = at(row, 'tag_list')
  return {
    id: numberAt(row, 'id'),
    description: textAt(row, 'description'),
    // `active` is the older name of the opposite.
    isPaused: at(row, 'paused') === true || (at(row, 'paused') === undefined && at(row, 'active') === false),
    status: readStatus(textAt(row, 'status'), online),
    type: textAt(row, 'runner_type'),
    isLocked: readFlag(at(row, 'locked')),
    tags: Array.isArray(tags) ? listAt(row, 'tag_list').filter((tag) => typeof tag === 'string') : null,
    runsUntagged: readFlag(at(row, 'run_untagged')),
    contactedAt: timeAt(row, 'contacted_at'),
  }
}

function readFlag(value: unknown): boolean | null {
  return typeof value === 'boolean' ? value : null
}

/** GitLab up to 14 has `active` and `paused` among the statuses: whether it is online stands beside them. */
function readStatus(status: string | null, online: unknown): string {
  if (status !== null && status !== 'active' && status !== 'paused') return status
  if (online === null) return 'never_contacted'
  return online === true ? 'online' : 'offline'
}

/** By its id; where the configuration has none, by its name, which GitLab calls the description. */
export function findListed(
  { id, name }: ConfiguredRunner,
  listed: readonly ListedRunner[],
): readonly ListedRunner[] | null {
  if (id !== null) return listed.filter((one) => one.id === id)
  return name === null ? null : listed.filter(({ description }) => description === name)
}
