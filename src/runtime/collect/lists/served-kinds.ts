import { listAt, textAt } from '#/core/basics/fields.ts'
import { isJsonObject, parseJson } from '#/core/evidence/bundle-json.ts'
import { blind, seen } from '#/core/basics/observed.ts'
import type { Observed } from '#/core/basics/observed.ts'
import type { Kubernetes } from '#/ports/kubernetes.ts'
import type { Resource } from '#/ports/kubernetes-resources.ts'

/** The versions of each group that the cluster serves, the preferred one first. */
export type ServedGroups = ReadonlyMap<string, readonly string[]>

export async function readServedGroups(kubernetes: Kubernetes, signal: AbortSignal): Promise<Observed<ServedGroups>> {
  const answer = await kubernetes.raw('/apis', signal)
  if (answer.kind !== 'seen') return answer
  const groups = parseServedGroups(answer.value.text)
  return groups === null ? blind('malformed', 'GET /apis: the answer is no list of groups') : seen(groups)
}

export function parseServedGroups(text: string): ServedGroups | null {
  const reading = parseJson(text)
  if (reading.kind === 'malformed' || !isJsonObject(reading.value)) return null
  if (reading.value['kind'] !== 'APIGroupList') return null
  return new Map(
    listAt(reading.value, 'groups').map((group) => {
      const preferred = textAt(group, 'preferredVersion', 'version')
      const versions = listAt(group, 'versions').map((version) => textAt(version, 'version'))
      return [textAt(group, 'name') ?? '', [...new Set([preferred, ...versions])].filter((version) => version !== null)]
    }),
  )
}

/** The kind as this cluster serves it; null where it does not know the group. */
export function asServed(resource: Resource, groups: ServedGroups): Resource | null {
  const versions = groups.get(resource.group) ?? []
  const [preferred] = versions
  if (preferred === undefined) return null
  return versions.includes(resource.version) ? resource : { ...resource, version: preferred }
}

/** Whether the group, which is served, has the kind; null where the cluster does not say. */
export async function servesKind(
  kubernetes: Kubernetes,
  { group, version, plural }: Resource,
  signal: AbortSignal,
): Promise<boolean | null> {
  const answer = await kubernetes.raw(`/apis/${group}/${version}`, signal)
  const reading = answer.kind === 'seen' ? parseJson(answer.value.text) : null
  if (reading?.kind !== 'parsed' || textAt(reading.value, 'kind') !== 'APIResourceList') return null
  return listAt(reading.value, 'resources').some((resource) => textAt(resource, 'name') === plural)
}
