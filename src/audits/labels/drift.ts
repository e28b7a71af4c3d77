import type { SharedLabel } from './shared-label.ts'
import type { FleetFile } from '#/core/fleet-file/fleet-file.ts'
import { namesSet } from '#/core/fleet-file/fleet-file.ts'
import { sumMax } from '#/core/fleet/lane.ts'
import type { Listener, ScaleSet } from '#/core/fleet/scale-set.ts'

/** How the live sets of a label differ from the declared ones. */
export type LabelDrift = {
  readonly declaredMax: number | null
  readonly liveMax: number | null
  /** Both are known, and they differ. */
  readonly isMaxOff: boolean
  /** Declared but missing. */
  readonly missing: readonly string[]
  /** Live under this label but not declared. */
  readonly undeclared: readonly ScaleSet[]
  /** Listeners whose minimum or maximum differs from their set's. */
  readonly stale: readonly { readonly set: ScaleSet; readonly listener: Listener }[]
}

export function findDrift(
  label: SharedLabel,
  declared: FleetFile,
  listeners: ReadonlyMap<string, Listener>,
): LabelDrift | null {
  const { lane, unnamed } = label
  const own = declared.lanes?.find((one) => one.label === lane.label)
  const declaredMax = own?.declaredMax ?? null
  const liveMax = sumMax(lane.sets)
  const isMaxOff = declaredMax !== null && declaredMax !== liveMax
  const missing = (own?.scaleSets ?? []).filter((name) => !lane.sets.some((set) => namesSet([name], set)))
  const stale = staleListeners(label, listeners)
  const isNone = !isMaxOff && missing.length + unnamed.length + stale.length === 0
  return isNone ? null : { declaredMax, liveMax, isMaxOff, missing, undeclared: unnamed, stale }
}

/** A set with several labels is reported once, at its first label. */
function staleListeners({ label, sets }: SharedLabel, listeners: ReadonlyMap<string, Listener>): LabelDrift['stale'] {
  return sets
    .filter(({ runsOn }) => isNamedBy(runsOn, label))
    .flatMap((set) => {
      const listener = listeners.get(`${set.namespace}/${set.name}`)
      return listener !== undefined && isStale(set, listener) ? [{ set, listener }] : []
    })
}

function isNamedBy([first = '']: readonly string[], label: string): boolean {
  return first.toLowerCase() === label.toLowerCase()
}

function isStale(set: ScaleSet, listener: Listener): boolean {
  return set.minRunners !== listener.minRunners || set.maxRunners !== listener.maxRunners
}

/** By set, without listeners that are being replaced. */
export function listenersBySet(listeners: readonly Listener[]): ReadonlyMap<string, Listener> {
  return new Map(
    listeners
      .filter(({ deletedAt }) => deletedAt === null)
      .map((listener) => [`${listener.setNamespace}/${listener.setName}`, listener]),
  )
}
