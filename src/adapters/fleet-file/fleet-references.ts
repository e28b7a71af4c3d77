import type { Path, Remark } from '#/adapters/documents/problem.ts'
import type { Suggest } from '#/adapters/documents/suggest.ts'
import { suggestions } from '#/adapters/documents/suggest.ts'
import { at, toFields, listAt, numberAt, textAt } from '#/core/basics/fields.ts'
import { laneNames, ownerNames } from './fleet-names.ts'
import { findDuplicateNames } from './duplicate-names.ts'

/** A remark, and whether it is about the key of its path instead of the value. */
export type FleetRemark = Remark & { readonly isAboutKey?: true }

/** Errors that no schema can find: unknown names, duplicates, and sums that do not match. */
export function fleetReferences(document: unknown): readonly FleetRemark[] {
  const spec = at(document, 'spec')
  const suggest = suggestions()
  return [
    ...pools(spec),
    ...lanes(spec),
    ...envelopes(spec, suggest),
    ...laneNames(spec, suggest),
    ...ownerNames(spec, suggest),
    ...pullSecrets(spec),
    ...releases(spec),
    ...findDuplicateNames(texts(spec, 'runnerNamespaces'), 'is already listed'),
  ]
}

function pools(spec: unknown): readonly FleetRemark[] {
  const list = listAt(spec, 'nodePools')
  const names = list.map((pool, index) => ({ path: ['spec', 'nodePools', index, 'name'], name: textAt(pool, 'name') }))
  const selectors = list.map((pool, index) => ({
    path: ['spec', 'nodePools', index, 'selector'],
    entries: Object.entries(toFields(at(pool, 'selector'))),
  }))
  const empty = selectors.filter(
    ({ entries }, index) => entries.length === 0 && typeof at(list[index], 'selector') === 'object',
  )
  const filled = selectors.filter(({ entries }) => entries.length > 0)
  return [
    ...findDuplicateNames(names, 'is a duplicate pool name'),
    ...empty.map(({ path }) => ({
      path,
      message: 'is empty: every node would be in this pool',
      advice: 'use a label that only its nodes have; list labels with kubectl get nodes --show-labels',
    })),
    ...findDuplicateNames(
      filled.map(({ path, entries }) => ({ path, name: JSON.stringify(entries.toSorted(byKey)), shown: '' })),
      'selects the same nodes as another pool',
    ),
  ]
}

function byKey([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1
}

function lanes(spec: unknown): readonly FleetRemark[] {
  const list = listAt(spec, 'lanes')
  const labels = list.map((lane, index) => ({
    path: ['spec', 'lanes', index, 'label'],
    // GitHub ignores case in labels.
    name: textAt(lane, 'label')?.toLowerCase() ?? null,
  }))
  const volumes = list.flatMap((lane, index) => {
    const named = listAt(lane, 'requiredVolumes').map((volume, at) => ({
      path: ['spec', 'lanes', index, 'requiredVolumes', at, 'name'],
      name: textAt(volume, 'name'),
    }))
    return findDuplicateNames(named, 'is already listed')
  })
  return [...findDuplicateNames(labels, 'is a duplicate lane label'), ...volumes]
}

function envelopes(spec: unknown, suggest: Suggest): readonly FleetRemark[] {
  const names = [...new Set(listAt(spec, 'nodePools').flatMap((pool) => textAt(pool, 'name') ?? []))]
  const pools = { names, known: new Set(names) }
  return listAt(spec, 'lanes').flatMap((lane, index) =>
    checkEnvelope(lane, ['spec', 'lanes', index], { pools, suggest }),
  )
}

type Pools = { readonly names: readonly string[]; readonly known: ReadonlySet<string> }

function checkEnvelope(
  lane: unknown,
  path: Path,
  { pools, suggest }: { readonly pools: Pools; readonly suggest: Suggest },
): readonly FleetRemark[] {
  const envelope = Object.entries(toFields(at(lane, 'envelope')))
  // Without declared pools the provider's pools count, which only the cluster knows.
  const strangers = pools.names.length === 0 ? [] : envelope.filter(([name]) => !pools.known.has(name))
  const unknown = strangers.map(([name]): FleetRemark => {
    const meant = suggest(name, pools.names)
    const advice =
      meant.length === 0 ? `known: ${pools.names.slice(0, 10).join(', ')}` : `did you mean ${meant.join(' or ')}?`
    return { path: [...path, 'envelope', name], isAboutKey: true, message: 'is not in nodePools', advice }
  })
  const max = numberAt(lane, 'declaredMax')
  const counts = envelope.flatMap(([, count]) => (typeof count === 'number' ? [count] : []))
  const sum = counts.reduce((total, count) => total + count, 0)
  if (max === null || counts.length === 0 || counts.length < envelope.length || sum === max) return unknown
  const message = `is ${max}, but the envelope adds up to ${sum}`
  const advice = 'make them equal: the envelope splits the maximum over the pools'
  return [...unknown, { path: [...path, 'declaredMax'], message, advice }]
}

function pullSecrets(spec: unknown): readonly FleetRemark[] {
  const list = listAt(spec, 'pullSecrets')
  const places = list.map((secret, index) => ({
    path: ['spec', 'pullSecrets', index, 'name'],
    name: `${textAt(secret, 'authoritative', 'namespace')}/${textAt(secret, 'name')}`,
    shown: textAt(secret, 'name') ?? '',
  }))
  return [
    ...findDuplicateNames(places, 'is already listed with the same namespace'),
    ...list.flatMap((secret, index) => checkCopies(secret, ['spec', 'pullSecrets', index])),
  ]
}

function checkCopies(secret: unknown, path: Path): readonly FleetRemark[] {
  const original = textAt(secret, 'authoritative', 'namespace')
  const copies = listAt(secret, 'copies').map((copy, index) => ({
    path: [...path, 'copies', index, 'namespace'],
    name: textAt(copy, 'namespace'),
  }))
  const same = copies.filter(({ name }) => name !== null && name === original)
  return [
    ...findDuplicateNames(copies, 'is already listed'),
    ...same.map(({ path: at, name }) => ({
      path: at,
      message: `${name} is the namespace of the original`,
      advice: 'list only its copies',
    })),
  ]
}

function releases(spec: unknown): readonly FleetRemark[] {
  const components = listAt(spec, 'releases').map((release, index) => ({
    path: ['spec', 'releases', index, 'component'],
    name: textAt(release, 'component'),
  }))
  return [
    ...findDuplicateNames(components, 'is already listed'),
    ...components
      .filter(({ name }) => name !== null && /(?::[^/]*|@.*)$/.test(name))
      .map(({ path, name }) => ({
        path,
        message: 'has a tag or a digest',
        advice: `write ${name?.replace(/(?::[^/]*|@.*)$/, '')}, and the version under declared`,
      })),
  ]
}

function texts(spec: unknown, key: string): readonly { readonly path: Path; readonly name: string | null }[] {
  return listAt(spec, key).map((name, index) => ({
    path: ['spec', key, index],
    name: typeof name === 'string' ? name : null,
  }))
}
