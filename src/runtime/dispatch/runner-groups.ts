import { blind, none, seen } from '#/core/basics/observed.ts'
import type { BlindReason, Observed } from '#/core/basics/observed.ts'
import type { Clock } from '#/ports/clock.ts'
import type { GitHub } from '#/ports/github.ts'

/** GitHub's ids of runner groups, by name. */
export type RunnerGroups = {
  /** `none`: the organisation has no group of this name. */
  readonly find: (organization: string, name: string, signal: AbortSignal) => Promise<Observed<number>>
  /** GitHub refused an id: it is asked again. */
  readonly forget: (organization: string) => void
}

type Means = { readonly github: { readonly runners: Pick<GitHub['runners'], 'groups'> }; readonly clock: Clock }
type Known = { readonly ids: ReadonlyMap<string, number>; readonly until: number }

const REMEMBERED_MS = 10 * 60_000

export function createRunnerGroups({ github, clock }: Means): RunnerGroups {
  const known = new Map<string, Known>()
  const underWay = new Map<string, Promise<Known | BlindReason>>()
  const read = async (organization: string, signal: AbortSignal): Promise<Known | BlindReason> => {
    const groups = await github.runners.groups(organization, { signal })
    if (groups.kind === 'blind') return groups.reason
    const rows = groups.kind === 'seen' ? groups.value : []
    const ids = new Map(rows.map(({ id, name }) => [name.toLowerCase(), id]))
    const found = { ids, until: clock.now() + REMEMBERED_MS }
    known.set(organization, found)
    return found
  }
  const share = async (organization: string, signal: AbortSignal): Promise<Known | BlindReason> => {
    const asking = underWay.get(organization) ?? read(organization, signal)
    underWay.set(organization, asking)
    return await asking.finally(() => underWay.delete(organization))
  }
  return {
    find: async (organization, name, signal) => {
      const kept = known.get(organization)
      const found = kept !== undefined && clock.now() < kept.until ? kept : await share(organization, signal)
      if ('code' in found) return blind(found.code, found.detail)
      const id = found.ids.get(name.toLowerCase())
      return id === undefined ? none() : seen(id)
    },
    forget: (organization) => void known.delete(organization),
  }
}
