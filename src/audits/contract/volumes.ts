import { at, toFields, listAt, textAt } from '#/core/basics/fields.ts'
import type { DeclaredVolume } from '#/core/fleet-file/fleet-file.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import type { ScaleSet } from '#/core/fleet/scale-set.ts'

export type MissingVolume = { readonly name: string; readonly storageClass: string | null; readonly why: string }

/** Volumes that the lanes of a set require and its template lacks. */
export function missingVolumes(fleet: Fleet, set: ScaleSet): readonly MissingVolume[] {
  const wanted = fleet.lanes.filter(({ sets }) => sets.includes(set)).flatMap(({ requiredVolumes }) => requiredVolumes)
  return wanted.flatMap((volume) => {
    const why = whyMissing(fleet, set, volume)
    return why === null ? [] : [{ name: volume.name, storageClass: volume.storageClass ?? null, why }]
  })
}

function whyMissing(fleet: Fleet, set: ScaleSet, { name, storageClass }: DeclaredVolume): string | null {
  const volume = listAt(set.template, 'volumes').find((one) => textAt(one, 'name') === name)
  if (volume === undefined) return `its template has no volume ${name}`
  if (storageClass === undefined) return null
  const found = findClass(fleet, set, volume)
  if (found.kind === 'none') return `its volume ${name} is ${found.what}, not a claim of storage class ${storageClass}`
  if (found.kind === 'class' && found.name !== storageClass) {
    return `its volume ${name} has storage class ${found.name}, not ${storageClass}`
  }
  const isUnknownClass =
    fleet.saw('kubernetes/storageclasses') &&
    !fleet.rows('storageclasses').some((one) => textAt(one, 'metadata', 'name') === storageClass)
  return isUnknownClass ? `its volume ${name} uses storage class ${storageClass}, which does not exist` : null
}

type VolumeClass =
  | { readonly kind: 'class'; readonly name: string }
  /** A claim whose class is unknown. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'none'; readonly what: string }

function findClass(fleet: Fleet, { namespace }: ScaleSet, volume: unknown): VolumeClass {
  const template = at(volume, 'ephemeral', 'volumeClaimTemplate', 'spec')
  if (template !== undefined) return namedClass(fleet, template)
  const claimName = textAt(volume, 'persistentVolumeClaim', 'claimName')
  if (claimName !== null) {
    const claim = fleet
      .rows('persistentvolumeclaims')
      .find(
        (one) => textAt(one, 'metadata', 'name') === claimName && textAt(one, 'metadata', 'namespace') === namespace,
      )
    return claim === undefined ? { kind: 'unknown' } : namedClass(fleet, at(claim, 'spec'))
  }
  return { kind: 'none', what: Object.keys(toFields(volume)).find((key) => key !== 'name') ?? 'empty' }
}

/** A claim without a class gets the cluster's default class. */
function namedClass(fleet: Fleet, claim: unknown): VolumeClass {
  const name = textAt(claim, 'storageClassName')
  if (name !== null) return { kind: 'class', name }
  const standard = fleet
    .rows('storageclasses')
    .find((one) => textAt(one, 'metadata', 'annotations', 'storageclass.kubernetes.io/is-default-class') === 'true')
  const own = textAt(standard, 'metadata', 'name')
  return own === null ? { kind: 'unknown' } : { kind: 'class', name: own }
}
