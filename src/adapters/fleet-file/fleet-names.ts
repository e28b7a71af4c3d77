import type { Path, Remark } from '#/adapters/documents/problem.ts'
import type { Suggest } from '#/adapters/documents/suggest.ts'
import { listAt, textAt } from '#/core/basics/fields.ts'
import { findDuplicateNames } from './duplicate-names.ts'

type SetName = { readonly path: Path; readonly text: string; readonly namespace: string | null; readonly name: string }

/** Checks the scale set names of lanes. */
export function laneNames(spec: unknown, suggest: Suggest): readonly Remark[] {
  const named = listSetNames(spec, 'lanes')
  const means = { known: runnerNamespaces(spec), suggest }
  return [
    ...wrongNames(named, means),
    ...findDuplicates(named, 'a lane without scaleSets includes every set with its label'),
  ]
}

/** Checks the owners: what they own, and whether two own the same. */
export function ownerNames(spec: unknown, suggest: Suggest): readonly Remark[] {
  const owners = listAt(spec, 'owners')
  const means = { known: runnerNamespaces(spec), suggest }
  const named = listSetNames(spec, 'owners')
  const namespaces = owners.flatMap((owner, index) =>
    listTexts(owner, 'namespaces').map(({ text, at }) => ({
      path: ['spec', 'owners', index, 'namespaces', at],
      name: text,
    })),
  )
  return [
    ...findDuplicateNames(
      owners.map((owner, index) => ({ path: ['spec', 'owners', index, 'name'], name: textAt(owner, 'name') })),
      'is a duplicate owner name',
    ),
    ...owners.flatMap((owner, index): readonly Remark[] =>
      listAt(owner, 'namespaces').length + listAt(owner, 'scaleSets').length > 0
        ? []
        : [
            {
              path: ['spec', 'owners', index],
              message: 'owns nothing',
              advice: 'add namespaces or scaleSets, or remove it',
            },
          ],
    ),
    ...findDuplicateNames(namespaces, 'already has an owner'),
    ...namespaces.flatMap(({ path, name }) => unknownNamespace(path, name, means)),
    ...wrongNames(named, means),
    ...findDuplicates(named, 'a scale set has one owner'),
  ]
}

function listSetNames(spec: unknown, list: 'lanes' | 'owners'): readonly SetName[] {
  return listAt(spec, list).flatMap((item, index) =>
    listTexts(item, 'scaleSets').map(({ text, at }): SetName => {
      const slash = text.indexOf('/')
      return {
        path: ['spec', list, index, 'scaleSets', at],
        text,
        namespace: slash === -1 ? null : text.slice(0, slash),
        name: text.slice(slash + 1),
      }
    }),
  )
}

function listTexts(item: unknown, key: string): readonly { readonly text: string; readonly at: number }[] {
  return listAt(item, key).flatMap((text, at) => (typeof text === 'string' && text !== '' ? [{ text, at }] : []))
}

type Means = { readonly known: ReadonlySet<string>; readonly suggest: Suggest }

function wrongNames(named: readonly SetName[], means: Means): readonly Remark[] {
  return named.flatMap(({ path, text, namespace, name }): readonly Remark[] => {
    if (name === '' || name.includes('/') || namespace === '') {
      const message = `${text} is neither the name of a scale set nor namespace/name`
      return [{ path, message, advice: 'list them with kubectl get autoscalingrunnersets -A' }]
    }
    return namespace === null ? [] : unknownNamespace(path, namespace, means)
  })
}

function runnerNamespaces(spec: unknown): ReadonlySet<string> {
  return new Set(listTexts(spec, 'runnerNamespaces').map(({ text }) => text))
}

/** How many namespaces are searched for a suggestion. */
const MOST_NAMED = 1_000

function unknownNamespace(path: Path, namespace: string, { known, suggest }: Means): readonly Remark[] {
  if (known.size === 0 || known.has(namespace)) return []
  const meant = suggest(namespace, [...known].slice(0, MOST_NAMED))
  const advice =
    meant.length === 0 ? 'add it to runnerNamespaces, or correct it' : `did you mean ${meant.join(' or ')}?`
  return [{ path, message: `${namespace} is not in runnerNamespaces`, advice }]
}

/** A name without a namespace matches the set in any namespace, so it duplicates one with a namespace. */
function findDuplicates(named: readonly SetName[], advice: string): readonly Remark[] {
  const before = new Map<string, Set<string | null>>()
  return named.flatMap(({ path, text, namespace, name }): readonly Remark[] => {
    const places = before.get(name) ?? new Set()
    const isTwice = places.has(namespace) || places.has(null) || (namespace === null && places.size > 0)
    before.set(name, places.add(namespace))
    return isTwice ? [{ path, message: `${text} is already listed`, advice }] : []
  })
}
