import { readPoolFiles } from '#/adapters/pools/read-pool-files.ts'
import type { DoctorContext } from '#/cli/doctor/check.ts'
import { findNamespaces } from '#/cli/doctor/namespaces.ts'
import type { Observed } from '#/core/basics/observed.ts'
import { blind, seen } from '#/core/basics/observed.ts'
import { poolScope } from '#/core/pools/pool-scope.ts'
import { readRunnerPool } from '#/core/pools/read-runner-pool.ts'
import type { RunnerPool } from '#/core/pools/runner-pool.ts'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'

export type DeclaredPools = { readonly pools: readonly RunnerPool[]; readonly mistakes: readonly string[] }

/** The pools of the files, or of the cluster. `none`: the cluster has no such kind. */
export async function readDeclaredPools(context: DoctorContext): Promise<Observed<DeclaredPools>> {
  const { config, kubernetes, signal } = context
  const path = config.dispatch?.pools ?? null
  if (path !== null) {
    const { pools, problems } = await readPoolFiles(path, signal)
    return seen({ pools, mistakes: problems.map(({ file, line, why }) => `${file}:${line ?? 1}: ${why}`) })
  }
  if (kubernetes === null || (await context.clusterVersion()).kind !== 'seen') {
    return blind('not-asked', 'cannot reach the cluster')
  }
  const resource = RESOURCES.runnerPools
  const pools: RunnerPool[] = []
  const mistakes: string[] = []
  for (const namespace of await findNamespaces(context)) {
    const list = await kubernetes.list(namespace === undefined ? { resource } : { resource, namespace }, signal)
    if (list.kind !== 'seen') return list
    for (const object of list.value.items) {
      const reading = readRunnerPool(object)
      if (reading.kind === 'valid') pools.push(reading.pool)
      else {
        const { name, namespace: where = '' } = object.metadata
        const scope = poolScope({ namespace: where, name })
        mistakes.push(...reading.problems.map(({ path: field, why }) => `${scope}: ${field} ${why}`))
      }
    }
  }
  return seen({ pools, mistakes })
}
