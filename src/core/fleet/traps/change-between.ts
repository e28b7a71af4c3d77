import { textAt } from '#/core/basics/fields.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import { joinSetParts, setKey } from '#/core/fleet/set-parts.ts'
import type { SetParts } from '#/core/fleet/set-parts.ts'
import type { PodRecord } from '#/core/kubernetes/pod-record.ts'

/** A wedge needs time. By `setKey`: what of the set was created, changed or deleted between two reads; null if nothing was. */
export function changeBetween(reads: {
  readonly earlier: Fleet
  readonly later: Fleet
}): (key: string) => string | null {
  const before = fingerprints(reads.earlier)
  const after = fingerprints(reads.later)
  return (key) => {
    const now = after.get(key)
    return now === undefined ? 'the set was deleted' : firstChange(before.get(key), now)
  }
}

function fingerprints(fleet: Fleet): ReadonlyMap<string, ReadonlyMap<string, string>> {
  return new Map(joinSetParts(fleet).map((parts) => [setKey(parts.set), fingerprint(parts)]))
}

/** Every object of the set with its resourceVersion, by kind and UID; a pod with its state, because kubelets write to it at any time. */
function fingerprint({ set, listeners, runnerSets, runners }: SetParts): ReadonlyMap<string, string> {
  const pods = runners.flatMap(({ pod }) =>
    pod === null ? [] : [[`Pod ${pod.name} ${pod.uid ?? ''}`, describePod(pod)] as const],
  )
  const objects = [set, ...listeners, ...runnerSets, ...runners].map(
    ({ kind, name, uid, raw }) =>
      [`${kind} ${name} ${uid ?? ''}`, textAt(raw, 'metadata', 'resourceVersion') ?? JSON.stringify(raw)] as const,
  )
  return new Map([...objects, ...pods])
}

function describePod({ phase, node, deletedAt, containers }: PodRecord): string {
  return JSON.stringify([phase, node, deletedAt, containers.map(({ name, state }) => [name, state])])
}

function firstChange(
  before: ReadonlyMap<string, string> | undefined,
  after: ReadonlyMap<string, string>,
): string | null {
  if (before === undefined) return 'the set was created'
  for (const [object, version] of after) {
    const old = before.get(object)
    if (old === undefined) return `${object} was created`
    if (old !== version) return `${object} changed`
  }
  const gone = [...before.keys()].find((object) => !after.has(object))
  return gone === undefined ? null : `${gone} was deleted`
}
