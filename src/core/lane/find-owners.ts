import type { Fields } from '#/core/basics/fields.ts'
import { at, listAt, textAt } from '#/core/basics/fields.ts'

/** Something that writes the bounds of a set from somewhere else, and so will undo a change. */
export type LaneOwner = {
  readonly tool: string
  readonly name: string | null
  readonly by: string
  readonly undoes: string
}

/** Writers that are no owners: ARC itself, and people at a terminal. */
const NO_OWNERS = /^(?:manager|ghalistener|kubectl-(?:edit|patch|scale|annotate|label)|signalbox)$/u

export function findOwners(set: Fields): readonly LaneOwner[] {
  const named = [...helmOwner(set), ...argoOwner(set), ...fluxOwners(set)]
  const writers = capWriters(set).filter((writer) => !NO_OWNERS.test(writer) && !isNamed(writer, named))
  return [
    ...named,
    ...writers.map((writer) => ({
      tool: writer,
      name: null,
      by: 'field manager of spec.maxRunners or spec.minRunners',
      undoes: 'its next apply sets it back',
    })),
  ]
}

function label(set: Fields, key: string): string | null {
  return textAt(set, 'metadata', 'labels', key)
}

function annotation(set: Fields, key: string): string | null {
  return textAt(set, 'metadata', 'annotations', key)
}

function helmOwner(set: Fields): readonly LaneOwner[] {
  const release = annotation(set, 'meta.helm.sh/release-name')
  if (release === null && label(set, 'app.kubernetes.io/managed-by') !== 'Helm') return []
  const namespace = annotation(set, 'meta.helm.sh/release-namespace')
  const by = release === null ? 'label app.kubernetes.io/managed-by' : 'annotation meta.helm.sh/release-name'
  const name = release === null ? null : namespace === null ? release : `${namespace}/${release}`
  return [{ tool: 'Helm', name, by, undoes: 'a helm upgrade or rollback may set it back' }]
}

function argoOwner(set: Fields): readonly LaneOwner[] {
  const tracked = annotation(set, 'argocd.argoproj.io/tracking-id')
  const instance = label(set, 'argocd.argoproj.io/instance')
  const name = instance ?? tracked?.split(':')[0] ?? null
  const by =
    instance !== null
      ? 'label argocd.argoproj.io/instance'
      : tracked !== null
        ? 'annotation argocd.argoproj.io/tracking-id'
        : allWriters(set).some((writer) => writer.startsWith('argocd-'))
          ? 'field manager argocd-controller'
          : null
  return by === null
    ? []
    : [{ tool: 'Argo CD', name, by, undoes: 'the next sync sets it back, with self-heal within seconds' }]
}

const FLUX = [
  { prefix: 'kustomize.toolkit.fluxcd.io', tool: 'Flux Kustomization', manager: 'kustomize-controller' },
  { prefix: 'helm.toolkit.fluxcd.io', tool: 'Flux HelmRelease', manager: 'helm-controller' },
] as const

function fluxOwners(set: Fields): readonly LaneOwner[] {
  const writers = allWriters(set)
  return FLUX.flatMap(({ prefix, tool, manager }) => {
    const name = label(set, `${prefix}/name`)
    if (name === null && !writers.includes(manager)) return []
    const namespace = label(set, `${prefix}/namespace`)
    const by = name === null ? `field manager ${manager}` : `label ${prefix}/name`
    const full = name !== null && namespace !== null ? `${namespace}/${name}` : name
    return [{ tool, name: full, by, undoes: 'its next reconciliation sets it back' }]
  })
}

type Entry = { readonly manager: string; readonly fields: unknown }

function entries(set: Fields): readonly Entry[] {
  return listAt(set, 'metadata', 'managedFields').flatMap((entry) => {
    const manager = textAt(entry, 'manager')
    return manager === null ? [] : [{ manager, fields: at(entry, 'fieldsV1') }]
  })
}

function allWriters(set: Fields): readonly string[] {
  return entries(set).map(({ manager }) => manager)
}

function capWriters(set: Fields): readonly string[] {
  const own = entries(set).filter(
    ({ fields }) =>
      at(fields, 'f:spec', 'f:maxRunners') !== undefined || at(fields, 'f:spec', 'f:minRunners') !== undefined,
  )
  return [...new Set(own.map(({ manager }) => manager))]
}

/** The field manager of a tool that labels name already. */
function isNamed(writer: string, named: readonly LaneOwner[]): boolean {
  const tools = new Set(named.map(({ tool }) => tool))
  if (writer === 'helm') return tools.has('Helm')
  if (writer.startsWith('argocd-')) return tools.has('Argo CD')
  return FLUX.some(({ manager, tool }) => writer === manager && tools.has(tool))
}
