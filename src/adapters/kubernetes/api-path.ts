import type { Resource } from '#/ports/kubernetes-resources.ts'

export type Place = {
  readonly resource: Resource
  readonly namespace?: string | undefined
  readonly name?: string | undefined
  readonly subresource?: string | undefined
}

/** Without a name a path means the whole collection, and dots mean another path: both would reach what was not meant. */
export class UnaddressableName extends Error {
  readonly code = 'UNADDRESSABLE_NAME'
}

export function apiPath({ resource, namespace, name, subresource }: Place): string {
  const { group, version, plural, namespaced } = resource
  const root = group === '' ? ['api', version] : ['apis', group, version]
  const scope = namespaced && namespace !== undefined ? ['namespaces', namespace] : []
  const parts = [...root, ...scope, plural, name, subresource].filter((part) => part !== undefined)
  for (const part of parts) if (['', '.', '..'].includes(part)) throw new UnaddressableName(`"${part}" is no name`)
  return `/${parts.map(encodeURIComponent).join('/')}`
}
