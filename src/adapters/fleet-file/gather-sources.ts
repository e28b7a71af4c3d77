import type { BundleResource } from '#/core/evidence/bundle-source.ts'
import type { Fields } from '#/core/basics/fields.ts'
import { at, toFields, textAt } from '#/core/basics/fields.ts'
import { readAmounts } from '#/core/kubernetes/quantity.ts'
import type { ReleaseValues } from './chart-values.ts'
import { isControllerValues, scaleSetValues } from './chart-values.ts'
import type { Manifest } from './manifest-kinds.ts'
import { isManifest, readManifests } from './manifest-kinds.ts'
import type { SourceDocument } from './source-documents.ts'
import { parseSource } from './source-documents.ts'
import type { SourceFile } from './source-files.ts'
import { guessRelease } from './source-files.ts'
import { problemIn } from './source-problem.ts'
import type { SourceProblem } from './source-problem.ts'

/** Everything in the files, before it is combined. */
export type Gathered = {
  readonly manifests: readonly Manifest[]
  readonly empty: readonly BundleResource[]
  readonly cut: readonly BundleResource[]
  readonly releases: readonly ReleaseValues[]
  readonly controllers: readonly ReleaseValues[]
  readonly fleets: readonly SourceDocument[]
  readonly problems: readonly SourceProblem[]
  readonly files: readonly { readonly file: string; readonly holds: readonly string[] }[]
}

export async function gatherSources(files: readonly SourceFile[], signal: AbortSignal): Promise<Gathered> {
  const parts: Gathered[] = []
  for (const file of files) {
    signal.throwIfAborted()
    parts.push(await gatherFile(file))
  }
  const { manifests, problems } = mergeManifests(parts)
  return {
    manifests,
    empty: parts.flatMap((part) => part.empty),
    cut: parts.flatMap((part) => part.cut),
    releases: parts.flatMap((part) => part.releases),
    controllers: parts.flatMap((part) => part.controllers),
    fleets: parts.flatMap((part) => part.fleets),
    problems: [...parts.flatMap((part) => part.problems), ...problems],
    files: parts.flatMap((part) => part.files),
  }
}

async function gatherFile(file: SourceFile): Promise<Gathered> {
  const { documents, problems } = await parseSource(file)
  const kinds = documents.map((document) => sort(document))
  const lists = kinds.flatMap(({ lists: own }) => own)
  const manifests = lists.flatMap((list) => list.manifests)
  const nodes = manifests.filter(({ resource, object }) => resource === 'nodes' && !hasAllocatable(object))
  const found = {
    manifests: manifests.filter((manifest) => !nodes.includes(manifest)),
    empty: lists.flatMap((list) => list.empty),
    cut: lists.flatMap((list) => list.cut),
    releases: kinds.flatMap(({ releases }) => releases),
    controllers: kinds.flatMap(({ controllers }) => controllers),
    fleets: kinds.flatMap(({ fleets }) => fleets),
  }
  const holds = describeHoldings(found)
  return {
    ...found,
    problems: [
      ...problems.filter(() => file.isNamed || mayMatter(file)),
      ...nodes.map(({ object }) =>
        problemIn(
          file.path,
          `Node ${textAt(object, 'metadata', 'name')} lacks cpu, memory or pods in status.allocatable`,
        ),
      ),
      ...(file.isNamed && holds.length + problems.length + nodes.length === 0 ? [problemIn(file.path, UNKNOWN)] : []),
    ],
    files: holds.length === 0 ? [] : [{ file: file.path, holds }],
  }
}

const UNKNOWN = 'it contains no Helm values of gha-runner-scale-set, no manifest that an audit reads and no fleet file'

type Sorted = {
  readonly lists: readonly ReturnType<typeof readManifests>[]
  readonly releases: readonly ReleaseValues[]
  readonly controllers: readonly ReleaseValues[]
  readonly fleets: readonly SourceDocument[]
}

const EMPTY: Sorted = { lists: [], releases: [], controllers: [], fleets: [] }

function sort(document: SourceDocument): Sorted {
  const { fields, file } = document
  if (isManifest(fields)) {
    const isFleet =
      textAt(fields, 'kind') === 'Fleet' && textAt(fields, 'apiVersion')?.startsWith('signalbox.dev/') === true
    return isFleet ? { ...EMPTY, fleets: [document] } : { ...EMPTY, lists: [readManifests(fields)] }
  }
  const release = guessRelease(file)
  const releases = scaleSetValues(fields, release)
  if (releases.length > 0) return { ...EMPTY, releases }
  return isControllerValues(fields) ? { ...EMPTY, controllers: [{ values: fields, release }] } : EMPTY
}

/** A node without allocatable amounts would count as full. */
function hasAllocatable(node: Fields): boolean {
  const allocatable = readAmounts(toFields(at(node, 'status', 'allocatable')))
  return ['cpu', 'memory', 'pods'].every((name) => allocatable.has(name))
}

/** A folder may contain any JSON; only a file that looks like a Kubernetes object is a problem if it cannot be read. */
function mayMatter({ path, text }: SourceFile): boolean {
  return !path.endsWith('.json') || text.includes('"kind"')
}

function describeHoldings(found: Omit<Gathered, 'problems' | 'files'>): readonly string[] {
  const kinds = Map.groupBy(found.manifests, ({ kind }) => kind)
  return [
    ...[...kinds].map(([kind, own]) => `${own.length} ${kind}`),
    ...found.empty.map((resource) => `0 ${resource}`),
    ...found.releases.map(({ release }) => `values of ${release}`),
    ...found.controllers.map(({ release }) => `values of controller ${release}`),
    ...found.fleets.map(() => 'fleet file'),
  ]
}

/** The same object in two files counts once; two different objects of the same name are a problem. */
function mergeManifests(parts: readonly Gathered[]): Pick<Gathered, 'manifests' | 'problems'> {
  const kept = new Map<string, { readonly manifest: Manifest; readonly text: string }>()
  const problems: SourceProblem[] = []
  for (const { manifests, files } of parts) {
    for (const manifest of manifests) {
      const { object, kind, resource } = manifest
      const name = `${textAt(object, 'metadata', 'namespace') ?? 'default'}/${textAt(object, 'metadata', 'name') ?? ''}`
      const key = `${resource} ${name}`
      const text = JSON.stringify(object)
      const before = kept.get(key)
      if (before === undefined) kept.set(key, { manifest, text })
      else if (before.text !== text) {
        problems.push(
          problemIn(
            files[0]?.file ?? '',
            `${kind} ${name} is defined twice with different content; the first one is used`,
          ),
        )
      }
    }
  }
  return { manifests: [...kept.values()].map(({ manifest }) => manifest), problems }
}
