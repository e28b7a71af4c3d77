import type { Check, CheckResult } from '#/cli/doctor/check.ts'
import { fail, ok, skip, warn } from '#/cli/doctor/check.ts'
import { poolScope } from '#/core/pools/pool-scope.ts'
import type { MissingAt } from '#/cli/doctor/github-permissions.ts'
import type { RunnerPool } from '#/core/pools/runner-pool.ts'
import type { Permission } from '#/ports/github.ts'
import { readDeclaredPools } from './runner-pools.ts'

export const poolPermissions: Check = {
  id: 'pool-permissions',
  title: 'Pool permissions',
  check: async (context) => {
    const { github, githubIdentity, signal } = context
    if (github === null || (await githubIdentity()).kind !== 'seen') return skip('cannot reach GitHub')
    const declared = await readDeclaredPools(context)
    const pools = declared.kind === 'seen' ? declared.value.pools : []
    if (pools.length === 0) return skip('no pool is known')
    const places = listPlaces(pools)
    const answers = await Promise.all(
      places.map(async ({ owner, needed, pools: names }): Promise<MissingAtPool> => {
        const missing = await github.access.missing(owner, needed, { signal })
        return { owner, missing, pools: names }
      }),
    )
    return judgePoolPermissions(answers)
  },
}

export type PoolPlace = {
  readonly owner: string
  readonly needed: readonly Permission[]
  /** Who registers runners there. */
  readonly pools: readonly string[]
}

/** Where the pools register runners: repositories and organisations, each once. */
export function listPlaces(pools: readonly RunnerPool[]): readonly PoolPlace[] {
  const places = new Map<string, { needed: readonly Permission[]; pools: string[] }>()
  for (const pool of pools) {
    const { scope, owner, repositories } = pool.github
    const isOrganization = scope === 'organization'
    const register = isOrganization ? 'organization_self_hosted_runners' : 'administration'
    for (const place of isOrganization ? [owner] : repositories.map((name) => `${owner}/${name}`)) {
      const known = places.get(place) ?? {
        needed: [
          { name: register, level: 'write' },
          { name: 'actions', level: 'read' },
          { name: 'metadata', level: 'read' },
        ],
        pools: [],
      }
      known.pools.push(poolScope(pool))
      places.set(place, known)
    }
  }
  return [...places].map(([owner, rest]) => Object.assign({ owner }, rest))
}

export type MissingAtPool = MissingAt & { readonly pools: readonly string[] }

export function judgePoolPermissions(answers: readonly MissingAtPool[]): CheckResult {
  const lacking = answers.flatMap(({ owner, missing, pools }) =>
    missing.kind === 'seen'
      ? missing.value.map(({ name, level }) => ({ line: `${owner}: ${name}=${level} is missing`, pools }))
      : [],
  )
  if (lacking.length > 0) {
    const pools = [...new Set(lacking.flatMap((one) => one.pools))]
    return fail(lacking.map(({ line }) => line).join(', '), {
      cost: `Runners of ${pools.join(', ')} cannot be registered there, or their jobs not be read.`,
      fix: 'Install the App there; grant the permissions in its settings, and accept them as the owner (docs/github-app.md).',
    })
  }
  const unknown = answers.flatMap(({ owner, missing }) =>
    missing.kind === 'blind' ? [`${owner}: ${missing.reason.detail}`] : [],
  )
  if (unknown.length === 0) return ok(`runners can be registered at ${answers.map(({ owner }) => owner).join(', ')}`)
  return warn(unknown.join(', '), {
    cost: 'It is not known whether runners can be registered there.',
    fix: 'Use a GitHub App, whose permissions GitHub reports, or check the token by hand (docs/github-app.md).',
  })
}
