import { parseScope } from '#/core/fleet/github-facts.ts'
import { textAt } from '#/core/basics/fields.ts'
import { isSameSite } from '#/core/evidence/subject-argument.ts'
import type { Registration } from '#/ports/github.ts'
import type { CollectRequest } from '#/runtime/collect/request/request.ts'

/** Where the runners of a fleet are registered. */
export type FleetRegistrations = {
  readonly asked: readonly Registration[]
  /** Why those of some set cannot be asked for, one statement each. */
  readonly beyond: readonly string[]
}

/** Where the scale sets say; where there is none, what the configuration names. */
export function fleetRegistrations(
  sets: readonly object[],
  { githubUrl, places: { organizations, repositories } }: Pick<CollectRequest, 'githubUrl' | 'places'>,
): FleetRegistrations {
  const urls = new Set(sets.flatMap((set) => textAt(set, 'spec', 'githubConfigUrl')?.replace(/\/+$/, '') ?? []))
  if (urls.size === 0)
    return { asked: [...organizations.map(organization), ...repositories.map(repository)], beyond: [] }
  const asked = new Map<string, Registration>()
  const beyond: string[] = []
  for (const url of urls) {
    const site = URL.parse(url)?.host ?? ''
    const scope = parseScope(url)
    if (scope === null || site === '') beyond.push(`${url} is no address of an organisation or a repository`)
    else if (!isSameSite(site, githubUrl)) beyond.push(`${url} is not on the configured GitHub, ${githubUrl}`)
    else if (scope.isEnterprise) beyond.push(`runners of a whole enterprise (${scope.owner}) cannot be asked for`)
    else
      asked.set(
        url,
        scope.repository === null ? organization(scope.owner) : repository(`${scope.owner}/${scope.repository}`),
      )
  }
  const distinct = new Map([...asked.values()].map((one) => [registrationPlace(one).toLowerCase(), one]))
  return { asked: [...distinct.values()], beyond }
}

/** Where one runner is registered: as it says itself, or its set. Null if neither says, or not on this GitHub. */
export function findRegistration(sources: readonly object[], githubUrl: string): Registration | null {
  const named = sources.find((source) => textAt(source, 'spec', 'githubConfigUrl') !== null)
  if (named === undefined) return null
  const { asked } = fleetRegistrations([named], { githubUrl, places: NOWHERE })
  return asked[0] ?? null
}

const NOWHERE = { namespaces: [], isInsideOnly: false, repositories: [], organizations: [] }

export function registrationPlace(registration: Registration): string {
  return registration.kind === 'organization' ? registration.organization : registration.repository
}

function organization(name: string): Registration {
  return { kind: 'organization', organization: name }
}

function repository(name: string): Registration {
  return { kind: 'repository', repository: name }
}
