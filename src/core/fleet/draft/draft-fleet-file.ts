import { at, listAt, textAt } from '#/core/basics/fields.ts'
import { compareVersions, parseVersion } from '#/core/fleet/arc-version.ts'
import { draftLanes, draftName } from './draft-lanes.ts'
import { draftPools } from './draft-pools.ts'
import type {
  DeclaredGitLab,
  DeclaredOwner,
  DeclaredPullSecret,
  DeclaredRelease,
  FleetFile,
  NamedPlace,
} from '#/core/fleet-file/fleet-file.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import { parseScope } from '#/core/fleet/github-facts.ts'
import { imageRepository, imageTag } from '#/core/kubernetes/image-name.ts'
import { templateRunner } from '#/core/kubernetes/runner-container.ts'
import type { ScaleSet } from '#/core/fleet/scale-set.ts'

/** A draft of a fleet file, from the live fleet. */
export type FleetDraft = { readonly file: FleetFile; readonly notes: readonly DraftNote[] }

/** A comment for the reader: what was guessed, and why. The path starts in `spec`; an empty path is the head of the file. */
export type DraftNote = { readonly path: readonly (string | number)[]; readonly text: string }

/** What `draftFleetFile` reads. */
export const DRAFT_SOURCES = ['autoscalingrunnersets', 'autoscalinglisteners', 'deployments', 'nodes'] as const

export function draftFleetFile(fleet: Fleet): FleetDraft {
  const sets = fleet.sets.filter(({ deletedAt }) => deletedAt === null)
  const { pools, unmarked } = draftPools(fleet.nodes, sets)
  const lanes = draftLanes(sets, pools)
  const owners = draftOwners(sets)
  const pullSecrets = draftPullSecrets(fleet, sets)
  const { releases, notes: releaseNotes } = draftReleases(fleet, sets)
  const gitlab = draftGitLab(fleet)
  const controllers = [...new Set(controllerNamespaces(fleet))]
  const runnerNamespaces = [...new Set(sets.map(({ namespace }) => namespace))]
  const file: FleetFile = {
    ...(controllers[0] === undefined ? {} : { controllerNamespace: controllers[0] }),
    ...filled('runnerNamespaces', runnerNamespaces),
    ...filled(
      'nodePools',
      pools.map(({ pool }) => pool),
    ),
    ...filled('owners', owners),
    ...filled(
      'lanes',
      lanes.map(({ lane }) => lane),
    ),
    ...filled('pullSecrets', pullSecrets),
    ...filled('releases', releases),
    ...(gitlab === null ? {} : { gitlab }),
  }
  const notes: readonly DraftNote[] = [
    ...unseen(fleet),
    ...(controllers.length > 1
      ? [{ path: ['controllerNamespace'], text: `also: ${controllers.slice(1).join(', ')}` }]
      : []),
    ...(unmarked.length === 0
      ? []
      : [{ path: [], text: `no label identifies the pool of ${some(unmarked.map(({ name }) => name))}` }]),
    ...pools.map(({ why }, index) => ({ path: ['nodePools', index], text: why })),
    ...(owners.length === 0 ? [] : [{ path: ['owners'], text: 'from the URL that each scale set is registered with' }]),
    ...lanes.flatMap(({ why }, index) => (why.length === 0 ? [] : [{ path: ['lanes', index], text: why.join('\n') }])),
    ...(pullSecrets.length === 0 ? [] : [{ path: ['pullSecrets'], text: 'guessed: which copy is authoritative' }]),
    ...releaseNotes,
    ...(gitlab === null ? [] : [{ path: ['gitlab'], text: 'add group, autoCreatesTokens and role from GitLab' }]),
  ]
  return { file, notes }
}

function filled<K extends string, T>(key: K, items: readonly T[]): Partial<Readonly<Record<K, readonly T[]>>> {
  return (items.length === 0 ? {} : { [key]: items }) as Partial<Record<K, readonly T[]>>
}

const MOST_NAMED = 10

function some(names: readonly string[]): string {
  const more = names.length - MOST_NAMED
  return `${names.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

function unseen(fleet: Fleet): readonly DraftNote[] {
  const blind = DRAFT_SOURCES.map((name) => `kubernetes/${name}`).filter((source) => !fleet.saw(source))
  return blind.length === 0 ? [] : [{ path: [], text: `not readable, so not included: ${blind.join(', ')}` }]
}

function controllerNamespaces({ controllers, listeners }: Fleet): readonly string[] {
  return [...controllers.map(({ namespace }) => namespace), ...listeners.map(({ namespace }) => namespace)]
}

/** A namespace with one owner is assigned as a whole, so that sets added later belong to it too. */
function draftOwners(sets: readonly ScaleSet[]): readonly DeclaredOwner[] {
  const names = Map.groupBy(sets, ({ name }) => name)
  const setsByNamespace = Map.groupBy(sets, ({ namespace }) => namespace)
  const isShared = (namespace: string): boolean =>
    new Set((setsByNamespace.get(namespace) ?? []).map(findOwner)).size > 1
  return [...Map.groupBy(sets, findOwner)].flatMap(([name, own]): readonly DeclaredOwner[] => {
    if (name === null) return []
    const whole = [...new Set(own.map(({ namespace }) => namespace))].filter((namespace) => !isShared(namespace))
    const single = own.filter(({ namespace }) => isShared(namespace)).map((set) => draftName(set, names))
    return [{ name, ...filled('namespaces', whole), ...filled('scaleSets', single) }]
  })
}

function findOwner({ configUrl }: ScaleSet): string | null {
  const scope = parseScope(configUrl)
  if (scope === null) return null
  return scope.repository === null ? scope.owner : `${scope.owner}/${scope.repository}`
}

function draftPullSecrets({ listeners, controllers }: Fleet, sets: readonly ScaleSet[]): readonly DeclaredPullSecret[] {
  const used: readonly NamedPlace[] = [
    ...sets.flatMap(({ namespace, template }) =>
      listAt(template, 'imagePullSecrets').flatMap((secret) => {
        const name = textAt(secret, 'name')
        return name === null ? [] : [{ namespace, name }]
      }),
    ),
    ...[...listeners, ...controllers].flatMap(({ namespace, pullSecrets }) =>
      pullSecrets.map((name) => ({ namespace, name })),
    ),
  ]
  return [...Map.groupBy(used, ({ name }) => name)].map(([name, places]) => {
    const [first = '', ...others] = new Set(places.map(({ namespace }) => namespace))
    return { name, authoritative: { namespace: first }, copies: others.map((namespace) => ({ namespace })) }
  })
}

function draftReleases(
  { controllers }: Fleet,
  sets: readonly ScaleSet[],
): { readonly releases: readonly DeclaredRelease[]; readonly notes: readonly DraftNote[] } {
  const images = [
    ...sets.flatMap(({ template }) => textAt(templateRunner(template), 'image') ?? []),
    ...controllers.flatMap(({ image }) => image ?? []),
  ]
  const releases: DeclaredRelease[] = []
  const notes: DraftNote[] = []
  for (const [component, own] of Map.groupBy(images, imageRepository)) {
    const tags = [...new Set(own.flatMap((image) => imageTag(image) ?? []))].filter((tag) => tag !== 'latest')
    const declared = newest(tags)
    if (declared === null) continue
    const others = tags.filter((tag) => tag !== declared)
    if (others.length > 0) notes.push({ path: ['releases', releases.length], text: `also seen: ${some(others)}` })
    releases.push({ component, declared })
  }
  return { releases, notes }
}

function newest(tags: readonly string[]): string | null {
  const versions = tags.flatMap((tag) => {
    const version = parseVersion(tag)
    return version === null ? [] : [{ tag, version }]
  })
  return versions.toSorted((a, b) => compareVersions(b.version, a.version))[0]?.tag ?? tags[0] ?? null
}

/** The runner manager of GitLab's chart, and the Secret with its token. */
function draftGitLab(fleet: Fleet): DeclaredGitLab | null {
  for (const deployment of fleet.rows('deployments')) {
    const pod = at(deployment, 'spec', 'template', 'spec')
    const isRunner = listAt(pod, 'containers').some((container) =>
      /(?:^|\/)gitlab-runner$/.test(imageRepository(textAt(container, 'image') ?? '')),
    )
    if (!isRunner) continue
    const namespace = textAt(deployment, 'metadata', 'namespace') ?? 'default'
    const name = listAt(pod, 'volumes')
      .flatMap((volume) => listAt(volume, 'projected', 'sources'))
      .filter((source) =>
        listAt(source, 'secret', 'items').some((item) =>
          /^runner(?:-registration)?-token$/.test(textAt(item, 'key') ?? ''),
        ),
      )
      .flatMap((source) => textAt(source, 'secret', 'name') ?? [])[0]
    return { namespace, ...(name === undefined ? {} : { tokenSecret: { namespace, name } }) }
  }
  return null
}
