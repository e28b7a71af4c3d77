import { listAt, textAt } from '#/core/basics/fields.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import { parseImage } from '#/core/kubernetes/image-name.ts'
import { wasRefused } from '#/core/audit/refused.ts'
import type { ScaleSet } from '#/core/fleet/scale-set.ts'

export type UnnamedSecret = {
  /** It should reference one of these Secrets. */
  readonly wanted: readonly string[]
  readonly why: string
}

/** The pull secret that a set should reference but does not: from the fleet file, or from another set of the namespace that pulls from the same place. */
export function unnamedSecret(fleet: Fleet, set: ScaleSet, companions: Companions): UnnamedSecret | null {
  const named = namedSecrets(fleet, set)
  if (named === null) return null
  const declared = declaredFor(fleet, set.namespace)
  if (declared.length > 0) {
    if (declared.some((name) => named.includes(name))) return null
    return { wanted: declared, why: `the fleet file declares ${declared.join(', ')} for namespace ${set.namespace}` }
  }
  if (named.length > 0) return null
  for (const place of listPlaces(set)) {
    const companion = companions.get(`${set.namespace} ${place}`)
    if (companion !== undefined) {
      return {
        wanted: companion.secrets,
        why: `${companion.set.name} pulls from ${place} too, and references ${companion.secrets.join(', ')}`,
      }
    }
  }
  return null
}

/** By namespace and place: a set that references a pull secret for it. */
export type Companions = ReadonlyMap<string, { readonly set: ScaleSet; readonly secrets: readonly string[] }>

export function findCompanions(sets: readonly ScaleSet[]): Companions {
  return new Map(
    sets.flatMap((set) => {
      const secrets = templateSecrets(set)
      if (secrets.length === 0) return []
      return listPlaces(set).map((place) => [`${set.namespace} ${place}`, { set, secrets }] as const)
    }),
  )
}

/** Registry and owner. Public images need no credentials. */
const PUBLIC: ReadonlySet<string> = new Set(['ghcr.io/actions', 'docker.io/library'])

function listPlaces({ template }: ScaleSet): readonly string[] {
  const containers = [...listAt(template, 'containers'), ...listAt(template, 'initContainers')]
  const places = containers.flatMap((container) => {
    const image = textAt(container, 'image')
    if (image === null) return []
    const { registry, path } = parseImage(image)
    return [`${registry}/${path.split('/')[0]}`]
  })
  return [...new Set(places)].filter((place) => !PUBLIC.has(place))
}

function declaredFor({ declared }: Fleet, namespace: string): readonly string[] {
  return (declared.pullSecrets ?? [])
    .filter(({ authoritative, copies }) => [authoritative, ...copies].some((place) => place.namespace === namespace))
    .map(({ name }) => name)
}

/** From the template, else from the service account of the pods; null if the account could not be read. */
function namedSecrets(fleet: Fleet, set: ScaleSet): readonly string[] | null {
  const own = templateSecrets(set)
  if (own.length > 0) return own
  if (wasRefused(fleet, 'kubernetes/serviceaccounts')) return null
  const account = textAt(set.template, 'serviceAccountName') ?? 'default'
  const object = fleet
    .rows('serviceaccounts')
    .find(
      (one) => textAt(one, 'metadata', 'name') === account && textAt(one, 'metadata', 'namespace') === set.namespace,
    )
  return secretNames(object)
}

function templateSecrets({ template }: ScaleSet): readonly string[] {
  return secretNames(template)
}

function secretNames(holder: unknown): readonly string[] {
  return listAt(holder, 'imagePullSecrets').flatMap((secret) => textAt(secret, 'name') ?? [])
}
