import type { Check, CheckResult, DoctorContext } from '#/cli/doctor/check.ts'
import { fail, ok, skip, warn } from '#/cli/doctor/check.ts'
import type { Observed } from '#/core/basics/observed.ts'
import type { Permission } from '#/ports/github.ts'

const EVERYWHERE: readonly Permission[] = [
  { name: 'actions', level: 'read' },
  { name: 'checks', level: 'read' },
  { name: 'metadata', level: 'read' },
]

const COSTS: Readonly<Record<string, string>> = {
  actions: 'jobs, steps and logs are unknown',
  checks: 'annotations (such as "lost communication") are unknown',
  metadata: 'repositories cannot be listed',
  administration: 'registered runners cannot be listed',
  organization_self_hosted_runners: 'registered runners cannot be listed',
}

export const githubPermissions: Check = {
  id: 'github-permissions',
  title: 'GitHub permissions',
  check: async (context) => {
    const { github, config, githubIdentity } = context
    if (github === null || (await githubIdentity()).kind !== 'seen') return skip('cannot reach GitHub')
    const { owners } = config.github
    if (owners.length === 0) return skip('no owner: use --owner, or set github.owners')
    const answers = await Promise.all(owners.map((owner) => missingAt(context, owner)))
    return judgePermissions(answers)
  },
}

export type MissingAt = { readonly owner: string; readonly missing: Observed<readonly Permission[]> }

async function missingAt({ github, signal }: DoctorContext, owner: string): Promise<MissingAt> {
  const missing = await github?.access.missing(owner, neededAt(owner), { signal })
  return { owner, missing: missing ?? { kind: 'none' } }
}

/** Runners of an organisation and of a repository need different permissions. */
function neededAt(owner: string): readonly Permission[] {
  const runners = owner.includes('/') ? 'administration' : 'organization_self_hosted_runners'
  return [...EVERYWHERE, { name: runners, level: 'read' }]
}

export function judgePermissions(answers: readonly MissingAt[]): CheckResult {
  const missing = answers.flatMap(({ owner, missing: observed }) =>
    observed.kind === 'seen' ? observed.value.map((permission) => ({ owner, ...permission })) : [],
  )
  if (missing.length > 0) {
    return fail(missing.map(({ owner, name, level }) => `${owner}: ${name}=${level} is missing`).join(', '), {
      cost: `${[...new Set(missing.map(({ name }) => COSTS[name] ?? `${name} is unknown`))].join('; ')}.`,
      fix: 'Grant them in the settings of the App and accept them as the owner, or use a token that has them.',
    })
  }
  const blind = answers.flatMap(({ owner, missing: observed }) =>
    observed.kind === 'blind' ? [`${owner}: ${observed.reason.detail}`] : [],
  )
  if (blind.length === 0) return ok(`all that are needed, for ${answers.map(({ owner }) => owner).join(', ')}`)
  return warn(blind.join(', '), {
    cost: 'It is not known whether the credential can read jobs and runners.',
    fix: 'Use a GitHub App, whose permissions GitHub reports, or check the token by hand.',
  })
}
