import { at, toFields, listAt, textAt } from '#/core/basics/fields.ts'
import type { DraftPool } from './draft-pools.ts'
import type { DeclaredLane, DeclaredVolume, LaneClass } from '#/core/fleet-file/fleet-file.ts'
import { sumMax } from '#/core/fleet/lane.ts'
import { findMisfit } from '#/core/kubernetes/placement.ts'
import { podRequests } from '#/core/kubernetes/pod-request.ts'
import type { ScaleSet } from '#/core/fleet/scale-set.ts'

export type DraftLane = { readonly lane: DeclaredLane; readonly why: readonly string[] }

/** One lane for each first label of a scale set; its other labels are lanes without a declaration. */
export function draftLanes(sets: readonly ScaleSet[], pools: readonly DraftPool[]): readonly DraftLane[] {
  const names = Map.groupBy(sets, ({ name }) => name)
  const byLabel = Map.groupBy(sets, ({ runsOn }) => (runsOn[0] ?? '').toLowerCase())
  return [...byLabel.values()].flatMap((own): readonly DraftLane[] => {
    const label = own[0]?.runsOn[0]
    if (label === undefined || label === '') return []
    const max = sumMax(own)
    const { laneClass, why } = guessClass(label, own)
    const envelope = max === null ? null : draftEnvelope(own, pools)
    const volumes = draftVolumes(own)
    const further = [...new Set(own.flatMap(({ runsOn }) => runsOn.slice(1)))]
    return [
      {
        lane: {
          label,
          class: laneClass,
          scaleSets: own.map((set) => draftName(set, names)),
          ...(max === null ? {} : { declaredMax: max }),
          ...(envelope === null ? {} : { envelope }),
          ...(volumes.length === 0 ? {} : { requiredVolumes: volumes }),
        },
        why: [
          ...(why === null ? [] : [`class: ${why}`]),
          ...(max === null ? ['one of its scale sets has no maxRunners: declare the intended maximum'] : []),
          ...(further.length === 0 ? [] : [`its sets also have the labels ${further.join(', ')}`]),
        ],
      },
    ]
  })
}

/** The name alone, unless another namespace has a set of that name. */
export function draftName({ namespace, name }: ScaleSet, names: ReadonlyMap<string, readonly ScaleSet[]>): string {
  return (names.get(name)?.length ?? 0) > 1 ? `${namespace}/${name}` : name
}

const GPU = /(?:^|[./])(?:gpu|mig-|i915|tpu|neuron)/
const BUILD = /(?:^|[-_/])(?:dind|docker|buildkit|buildx|kaniko|podman|buildah)(?:[-_:]|$)/i
const OPERATOR = /deploy|release|operator|\bops\b|control|infra|admin/i
const HEAVY = /heavy|large|\bbig\b|\bxl\b/i
const HEAVY_CORES = 8
const HEAVY_BYTES = 16 * 2 ** 30

type Guess = { readonly laneClass: LaneClass; readonly why: string | null }

function guessClass(label: string, sets: readonly ScaleSet[]): Guess {
  const templates = sets.map(({ template }) => template)
  const requests = templates.map((template) => podRequests(template, new Map()))
  const gpu = requests.flatMap((amounts) => [...amounts.keys()].filter((name) => GPU.test(name)))[0]
  if (gpu !== undefined) return { laneClass: 'gpu', why: `it requests ${gpu}` }
  if (templates.some(isBuilder) || BUILD.test(label)) {
    return { laneClass: 'container-build', why: 'its runners build containers, judged by name, image or privileges' }
  }
  if (sumMax(sets) === 1 && OPERATOR.test(label)) {
    return { laneClass: 'control-plane', why: 'one runner at most, and by its name' }
  }
  const isHeavy = requests.some(
    (amounts) => (amounts.get('cpu') ?? 0) >= HEAVY_CORES || (amounts.get('memory') ?? 0) >= HEAVY_BYTES,
  )
  if (isHeavy || HEAVY.test(label)) return { laneClass: 'heavy', why: 'by its requests or its name' }
  return { laneClass: 'general', why: null }
}

function isBuilder(template: unknown): boolean {
  return [...listAt(template, 'containers'), ...listAt(template, 'initContainers')].some(
    (container) =>
      textAt(container, 'name') === 'dind' ||
      BUILD.test(textAt(container, 'image') ?? '') ||
      at(container, 'securityContext', 'privileged') === true,
  )
}

/** If each set fits only one pool, its maximum goes to that pool; otherwise the split is unknown. */
function draftEnvelope(
  sets: readonly ScaleSet[],
  pools: readonly DraftPool[],
): Readonly<Record<string, number>> | null {
  const usable = pools.filter(({ pool }) => pool.role === 'baseline' || pool.role === 'overflow')
  const envelope = new Map<string, number>()
  for (const set of sets) {
    const open = usable.filter(({ nodes }) => nodes.some((node) => isOpen(set, node)))
    const [only] = open
    if (open.length !== 1 || only === undefined) return null
    envelope.set(only.pool.name, (envelope.get(only.pool.name) ?? 0) + (set.maxRunners ?? 0))
  }
  return Object.fromEntries(envelope)
}

function isOpen({ template }: ScaleSet, node: DraftPool['nodes'][number]): boolean {
  const misfit = findMisfit(template, node)
  return misfit === null || misfit.kind === 'cordoned'
}

/** Scratch volumes that every set of the lane has. */
function draftVolumes(sets: readonly ScaleSet[]): readonly DeclaredVolume[] {
  const [first = [], ...others] = sets.map(({ template }) =>
    listAt(template, 'volumes').flatMap((volume): readonly DeclaredVolume[] => {
      const claim = toFields(at(volume, 'ephemeral', 'volumeClaimTemplate', 'spec'))
      const name = textAt(volume, 'name')
      if (name === null || Object.keys(claim).length === 0) return []
      const storageClass = textAt(claim, 'storageClassName')
      return [storageClass === null ? { name } : { name, storageClass }]
    }),
  )
  return first.filter((volume) =>
    others.every((own) =>
      own.some(({ name, storageClass }) => name === volume.name && storageClass === volume.storageClass),
    ),
  )
}
