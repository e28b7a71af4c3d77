import type { Check, CheckResult } from '#/cli/doctor/check.ts'
import { fail, ok, skip, warn } from '#/cli/doctor/check.ts'
import type { Observed } from '#/core/basics/observed.ts'
import type { DeclaredPools } from './declared-pools.ts'
import { readDeclaredPools } from './declared-pools.ts'

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
