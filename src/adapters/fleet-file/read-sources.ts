import { sha256 } from '#/adapters/sha256.ts'
import type { BundleResource } from '#/core/evidence/bundle-source.ts'
import type { Fields } from '#/core/basics/fields.ts'
import type { FleetFile } from '#/core/fleet-file/fleet-file.ts'
import type { Snapshot } from '#/core/fleet/snapshot.ts'
import { blind, none, seen } from '#/core/basics/observed.ts'
import type { Observed } from '#/core/basics/observed.ts'
import { toController, toScaleSet } from './chart-values.ts'
import { fleetSchema } from './fleet-schema.ts'
import type { Gathered } from './gather-sources.ts'
import { gatherSources } from './gather-sources.ts'
import type { SourceDocument } from './source-documents.ts'
import { readSourceFiles } from './source-files.ts'
import { problemIn } from './source-problem.ts'
import type { SourceProblem } from './source-problem.ts'

export type SourcesReading = {
  /** What the files do not contain counts as not requested; a file with a problem is a gap. */
  readonly snapshot: Snapshot
  readonly problems: readonly SourceProblem[]
  /** What was found in each file, for output. */
  readonly files: Gathered['files']
}

/** A fleet from files only: Helm values, manifests, a fleet file. Its time is the newest modification time. */
export async function readSources(paths: readonly string[], signal: AbortSignal): Promise<SourcesReading> {
  const { files, problems: unread } = await readSourceFiles(paths, signal)
  const gathered = await gatherSources(files, signal)
  const fleet = readFleet(gathered.fleets)
  const isFound = gathered.files.length + unread.length + gathered.problems.length > 0
  const nothing = problemIn(paths.join(', '), 'no file contains anything that an audit reads')
  const lost = isFound ? [...unread, ...gathered.problems] : [nothing]
  return {
    snapshot: {
      ...BLANK,
      now: Math.max(0, ...files.map(({ changedAt }) => changedAt)),
      lists: buildLists(gathered, defaultNamespace(fleet.file)),
      fleetFile: fleet.file,
      gaps: lost.map((problem) => ({
        source: `kubernetes/autoscalingrunnersets/${problem.file.replace(/^\/+/, '')}`,
        reason: { code: 'malformed', detail: printProblem(problem) },
      })),
      remarks: describeReleases(gathered, defaultNamespace(fleet.file)),
    },
    problems: [...lost, ...fleet.problems],
    files: gathered.files,
  }
}

/** `file:line:column: why`, as far as known. */
export function printProblem({ file, line, column, why }: SourceProblem): string {
  return `${[file, line, column].filter((part) => part !== null).join(':')}: ${why}`
}

const NOT_GIVEN = blind('not-asked', 'none of the files contains it')

const BLANK: Omit<Snapshot, 'now' | 'lists' | 'fleetFile'> = {
  digest: sha256,
  stats: new Map(),
  configz: new Map(),
  auditLog: NOT_GIVEN,
  logs: NOT_GIVEN,
  hosts: NOT_GIVEN,
  github: { runners: NOT_GIVEN, queuedJobs: NOT_GIVEN, jobs: NOT_GIVEN, rateLimit: NOT_GIVEN },
  gitlab: { config: NOT_GIVEN, runners: NOT_GIVEN },
}

function readFleet(documents: readonly SourceDocument[]): {
  readonly file: Observed<FleetFile>
  readonly problems: readonly SourceProblem[]
} {
  const [document, second] = documents
  if (document === undefined) return { file: NOT_GIVEN, problems: [] }
  if (second !== undefined) {
    const why = `second fleet file; the first is ${document.file}`
    return { file: blind('malformed', why), problems: [problemIn(second.file, why)] }
  }
  const parsed = fleetSchema.safeParse(document.fields)
  if (parsed.success) return { file: seen(parsed.data.spec as FleetFile), problems: [] }
  const problems = parsed.error.issues.map(({ path, message }): SourceProblem => {
    const keys = path.filter((key) => typeof key !== 'symbol')
    const { line, column } = document.findLine(keys)
    return { file: document.file, line, column, why: `${keys.join('.') || 'the fleet file'}: ${message}` }
  })
  return {
    file: blind('malformed', printProblem(problems[0] ?? problemIn(document.file, 'it cannot be read'))),
    problems,
  }
}

/** Helm values have no namespace; a fleet file with exactly one runner namespace supplies it. */
function defaultNamespace(fleet: Observed<FleetFile>): string {
  const namespaces = fleet.kind === 'seen' ? (fleet.value.runnerNamespaces ?? []) : []
  return namespaces.length === 1 ? (namespaces[0] ?? 'default') : 'default'
}

const WANTED: ReadonlyMap<BundleResource, string> = new Map([
  ['autoscalingrunnersets', 'none of the files contains an AutoscalingRunnerSet or values of its chart'],
  ['nodes', 'none of the files contains a Node (kubectl get nodes -o json)'],
])

function buildLists(gathered: Gathered, namespace: string): Snapshot['lists'] {
  const lists = new Map<BundleResource, Observed<readonly Fields[]>>()
  for (const [resource, why] of WANTED) lists.set(resource, blind('not-asked', why))
  for (const resource of gathered.empty) lists.set(resource, none())
  const rows = new Map(
    [...Map.groupBy(gathered.manifests, ({ resource }) => resource)].map(([resource, own]) => [
      resource,
      own.map(({ object }) => object),
    ]),
  )
  const add = (resource: BundleResource, objects: readonly Fields[]): void => {
    if (objects.length > 0) rows.set(resource, [...(rows.get(resource) ?? []), ...objects])
  }
  add(
    'autoscalingrunnersets',
    gathered.releases.map((values) => toScaleSet(values, namespace)),
  )
  add(
    'deployments',
    gathered.controllers.map(({ values, release }) => toController(values, { release, namespace: 'default' })),
  )
  for (const [resource, objects] of rows) lists.set(resource, seen(objects))
  for (const resource of gathered.cut)
    lists.set(resource, blind('truncated', 'the list is incomplete: pages are missing'))
  return lists
}

function describeReleases({ releases }: Gathered, namespace: string): ReadonlyMap<string, string> {
  if (releases.length === 0) return new Map()
  const remark = `${releases.length} from Helm values, which have no namespace: assumed ${namespace}`
  return new Map([['kubernetes/autoscalingrunnersets', remark]])
}
