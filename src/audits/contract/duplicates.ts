import { groupName, registeredWith } from '#/audits/labels/owner.ts'
import type { ScaleSet } from '#/core/fleet/scale-set.ts'

/** Sets that are the same at GitHub: equal scope, group and name. Each comes with the others. */
export function duplicates(sets: readonly ScaleSet[]): readonly {
  readonly set: ScaleSet
  readonly others: readonly ScaleSet[]
}[] {
  const standing = sets.filter(({ deletedAt }) => deletedAt === null)
  const groups = Map.groupBy(standing, setIdentity)
  return [...groups].flatMap(([identity, own]) =>
    identity === null || own.length < 2
      ? []
      : own.map((set) => ({ set, others: own.filter((other) => other !== set) })),
  )
}

/** Null if it is unknown where the set registers. */
function setIdentity(set: ScaleSet): string | null {
  const scope = registeredWith(set)
  const [name = set.name] = set.runsOn
  return scope === null ? null : JSON.stringify([scope, groupName(set), name.toLowerCase()])
}
