import type { Config } from '#/config/config.ts'

/** Where runner pods are watched: the configured namespaces, and without any all of them; null for all. */
export function watchedNamespaces({ kubernetes: { namespaces } }: Config): readonly string[] | null {
  return namespaces.kind === 'named' ? namespaces.names : null
}
