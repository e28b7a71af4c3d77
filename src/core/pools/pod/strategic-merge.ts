import { listAt, toFields } from '#/core/basics/fields.ts'
import type { Fields } from '#/core/basics/fields.ts'

/** By what the items of a list are matched, as Kubernetes declares it for a pod. Every other list is replaced. */
const MERGE_KEYS: ReadonlyMap<string, readonly string[]> = new Map([
  ['containers', ['name']],
  ['initContainers', ['name']],
  ['volumes', ['name']],
  ['env', ['name']],
  ['resourceClaims', ['name']],
  ['imagePullSecrets', ['name']],
  ['volumeMounts', ['mountPath']],
  ['volumeDevices', ['devicePath']],
  ['ports', ['containerPort', 'protocol']],
  ['hostAliases', ['ip']],
  ['topologySpreadConstraints', ['topologyKey', 'whenUnsatisfiable']],
])

/** Their items are one choice of several, so two of them never mix: a volume is a secret or a folder, not both. */
const REPLACED_ITEMS: ReadonlySet<string> = new Set(['volumes', 'env', 'volumeMounts'])

/** The pod with the changes of the patch, by the rules of a strategic merge: objects by key, lists by name, null removes. */
export function mergePod(base: Fields, patch: Fields): Fields {
  const merged = new Map(Object.entries(base).filter(([key, value]) => isKept(key, value)))
  for (const [key, value] of Object.entries(patch)) {
    if (isKept(key, value)) merged.set(key, mergeValue(key, merged.get(key), value))
    else if (value === null) merged.delete(key)
  }
  return Object.fromEntries(merged)
}

/** Keys with a dollar are directives of a patch, which mean nothing in a pod. */
function isKept(key: string, value: unknown): boolean {
  return value !== null && value !== undefined && !key.startsWith('$')
}

function mergeValue(key: string, base: unknown, patch: unknown): unknown {
  const keys = MERGE_KEYS.get(key)
  if (keys !== undefined && Array.isArray(patch)) return mergeItems(key, keys, listAt({ base }, 'base'), patch)
  return isObject(patch) ? mergePod(toFields(base), toFields(patch)) : patch
}

function mergeItems(
  list: string,
  keys: readonly string[],
  base: readonly unknown[],
  patch: readonly unknown[],
): unknown {
  const items = base.filter((item) => isObject(item)).map((item) => mergePod({}, toFields(item)))
  for (const item of patch.filter((one) => isObject(one)).map((one) => toFields(one))) {
    const place = items.findIndex((one) => keys.every((key) => one[key] === item[key]))
    const former = items[place] ?? {}
    const merged = mergePod(REPLACED_ITEMS.has(list) ? {} : former, item)
    if (place === -1) items.push(merged)
    else items[place] = merged
  }
  return items
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
