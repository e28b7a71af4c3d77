import { parseSource } from '#/adapters/fleet-file/source-documents.ts'
import type { SourceDocument } from '#/adapters/fleet-file/source-documents.ts'
import { readSourceFiles } from '#/adapters/fleet-file/source-files.ts'
import { problemIn } from '#/adapters/fleet-file/source-problem.ts'
import type { SourceProblem } from '#/adapters/fleet-file/source-problem.ts'
import { textAt } from '#/core/basics/fields.ts'
import { poolScope } from '#/core/pools/pool-scope.ts'
import { readRunnerPool } from '#/core/pools/read-runner-pool.ts'
import type { RunnerPool } from '#/core/pools/runner-pool.ts'

export type PoolFiles = { readonly pools: readonly RunnerPool[]; readonly problems: readonly SourceProblem[] }

const API_VERSION = 'signalbox.dev/v1alpha1'

/** RunnerPool objects from a file, or from all YAML files of a folder. One with a mistake is not among the pools. */
export async function readPoolFiles(path: string, signal: AbortSignal): Promise<PoolFiles> {
  const { files, problems } = await readSourceFiles([path], signal)
  const sources = await Promise.all(files.map((file) => parseSource(file)))
  const found = [...problems, ...sources.flatMap((source) => source.problems)]
  const pools = new Map<string, RunnerPool>()
  for (const document of sources.flatMap(({ documents }) => documents)) {
    const read = readOne(document, pools)
    if ('problems' in read) found.push(...read.problems)
    else pools.set(poolScope(read), read)
  }
  if (pools.size === 0 && found.length === 0) found.push(problemIn(path, 'has no RunnerPool'))
  return { pools: [...pools.values()], problems: found }
}

function readOne(
  document: SourceDocument,
  known: ReadonlyMap<string, RunnerPool>,
): RunnerPool | { readonly problems: readonly SourceProblem[] } {
  const { fields } = document
  const refuse = (place: string, why: string): { readonly problems: readonly SourceProblem[] } => ({
    problems: [problemAt(document, place, why)],
  })
  if (textAt(fields, 'kind') !== 'RunnerPool') return refuse('kind', 'is not RunnerPool')
  if (textAt(fields, 'apiVersion') !== API_VERSION) return refuse('apiVersion', `is not ${API_VERSION}`)
  for (const key of ['name', 'namespace']) {
    if (textAt(fields, 'metadata', key) === null) return refuse(`metadata.${key}`, 'is required')
  }
  const reading = readRunnerPool(fields)
  if (reading.kind === 'invalid') {
    return { problems: reading.problems.map(({ path, why }) => problemAt(document, path, why)) }
  }
  const isKnown = known.has(poolScope(reading.pool))
  return isKnown ? refuse('metadata.name', `is ${reading.pool.name} again in ${reading.pool.namespace}`) : reading.pool
}

function problemAt({ file, findLine }: SourceDocument, place: string, why: string): SourceProblem {
  return { file, ...findLine(toPath(place)), why: `${place} ${why}` }
}

/** `spec.labels[0]` as a path of keys and indexes. */
function toPath(place: string): readonly (string | number)[] {
  return [...place.matchAll(/\[(\d+)\]|[^.[]+/g)].map(([key, index]) => (index === undefined ? key : Number(index)))
}
