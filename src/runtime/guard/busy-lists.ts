import { blind } from '#/core/basics/observed.ts'
import type { RunnerList } from '#/core/guard/read-stamp-facts.ts'
import type { Clock } from '#/ports/clock.ts'
import type { GitHub } from '#/ports/github.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'
import { fleetRegistrations, registrationPlace } from '#/runtime/collect/fleet/fleet-registrations.ts'

/** GitHub's lists of runners, one request for each place and page, never one for each runner. */
export type BusyLists = {
  readonly latest: () => readonly RunnerList[]
  /** Reads all of them again, for the places that these records name, or the configuration. */
  readonly refresh: (records: Iterable<KubeObject>, signal: AbortSignal) => Promise<void>
}

export type BusyMeans = {
  readonly github: Pick<GitHub, 'runners'> | null
  readonly clock: Pick<Clock, 'now'>
  readonly githubUrl: string
  /** Organisations, or OWNER/NAME. */
  readonly owners: readonly string[]
}

export function createBusyLists({ github, clock, githubUrl, owners }: BusyMeans): BusyLists {
  let lists: readonly RunnerList[] = []
  const places = {
    organizations: owners.filter((owner) => !owner.includes('/')),
    repositories: owners.filter((owner) => owner.includes('/')),
    namespaces: [],
    isInsideOnly: false,
  }
  return {
    latest: () => lists,
    refresh: async (records, signal) => {
      if (github === null) return
      const { asked } = fleetRegistrations([...records], { githubUrl, places })
      const next: RunnerList[] = []
      for (const registration of asked) {
        const askedAt = clock.now()
        const runners = await github.runners.list(registration, { signal })
        const place = registrationPlace(registration).toLowerCase()
        // An empty list can be a lie: the runner that is asked about is running.
        next.push({ place, askedAt, runners: runners.kind === 'none' ? EMPTY : runners })
      }
      if (!signal.aborted) lists = next
    },
  }
}

const EMPTY = blind('unsupported', 'GitHub lists no runner at all')
