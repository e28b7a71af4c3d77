import { readPoolFiles } from '#/adapters/pools/read-pool-files.ts'
import type { Check, CheckResult, DoctorContext } from './check.ts'
import { fail, ok, skip, warn } from './check.ts'
import { findNamespaces } from './namespaces.ts'
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

export const runnerPools: Check = {
  id: 'runner-pools',
  title: 'RunnerPools',
  check: async (context) => judgePools(await readDeclaredPools(context)),
}

const COST = 'Signalbox has no pools, and takes no jobs.'

export function judgePools(declared: Observed<DeclaredPools>): CheckResult {
  if (declared.kind === 'none') {
    return fail('the cluster does not know the kind RunnerPool', {
      cost: COST,
      fix: 'Apply deploy/chart/crds/runnerpools.yaml, or set dispatch.pools to files.',
    })
  }
  if (declared.kind === 'blind') {
    const { code, detail } = declared.reason
    if (code === 'not-asked') return skip(detail)
    return fail(detail, {
      cost: COST,
      fix: 'Grant list and watch on runnerpools (signalbox.dev); see deploy/dispatch.',
    })
  }
  const { pools, mistakes } = declared.value
  if (mistakes.length > 0) {
    return fail(mistakes.join('; '), { cost: 'A pool with a mistake keeps no pods.', fix: 'Correct these fields.' })
  }
  if (pools.length > 0) return ok(`${pools.length} ${pools.length === 1 ? 'pool' : 'pools'}`)
  return warn('there is no RunnerPool', { cost: COST, fix: 'Declare one where signalbox watches: docs/pools.md.' })
}
