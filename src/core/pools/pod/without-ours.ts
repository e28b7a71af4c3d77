import { listAt, textAt, toFields } from '#/core/basics/fields.ts'
import type { Fields } from '#/core/basics/fields.ts'
import { OWN_VOLUMES, POLLER } from '#/core/pools/check-template.ts'

const OWN_PREFIX = 'signalbox.dev/'
const OWN_VOLUME_NAMES: ReadonlySet<string> = new Set(OWN_VOLUMES)

/**
 * The template without what only we may set and without what would give a job a token. A template that was checked has none
 * of it: this holds for one that was not.
 */
export function withoutOurs(template: Fields): Fields {
  const metadata = toFields(template['metadata'])
  const spec = toFields(template['spec'])
  return {
    metadata: { labels: foreign(metadata['labels']), annotations: foreign(metadata['annotations']) },
    spec: {
      ...spec,
      volumes: named(spec, 'volumes')
        .filter((volume) => !OWN_VOLUME_NAMES.has(textAt(volume, 'name') ?? ''))
        .map((volume) => withoutTokens(volume)),
      containers: containersOf(spec, 'containers'),
      initContainers: containersOf(spec, 'initContainers'),
    },
  }
}

function foreign(names: unknown): Fields {
  return Object.fromEntries(Object.entries(toFields(names)).filter(([name]) => !name.startsWith(OWN_PREFIX)))
}

function containersOf(spec: Fields, list: string): readonly Fields[] {
  return named(spec, list)
    .filter((container) => container['name'] !== POLLER)
    .map((container) => withoutOwnMounts(container))
}

function withoutOwnMounts(container: Fields): Fields {
  const mounts = listAt(container, 'volumeMounts')
  return { ...container, volumeMounts: mounts.filter((mount) => !OWN_VOLUME_NAMES.has(textAt(mount, 'name') ?? '')) }
}

/** The first of each name: the API server refuses a second one, and ours must not be merged into a wrong one. */
function named(spec: Fields, list: string): readonly Fields[] {
  const items = new Map<string, Fields>()
  for (const item of listAt(spec, list)) {
    const name = textAt(item, 'name')
    if (name !== null && !items.has(name)) items.set(name, toFields(item))
  }
  return [...items.values()]
}

function withoutTokens(volume: Fields): Fields {
  const projected = toFields(volume['projected'])
  const sources = listAt(projected, 'sources')
  const harmless = sources.filter((source) => toFields(source)['serviceAccountToken'] === undefined)
  return sources.length === harmless.length ? volume : { ...volume, projected: { ...projected, sources: harmless } }
}
