import type { Check, DoctorContext } from '#/cli/doctor/check.ts'
import { fail, ok, warn } from '#/cli/doctor/check.ts'
import type { BlindCode, Observed } from '#/core/basics/observed.ts'
import { blind, mapSeen, seen } from '#/core/basics/observed.ts'

const COST = 'Jobs, steps, annotations and registrations are unknown: verdicts use the cluster only.'

const FIXES: Partial<Record<BlindCode, string>> = {
  unauthenticated: 'Set a credential that GitHub accepts: github.token, or github.app.id with its private key.',
  forbidden: 'Install the GitHub App for the owner, or allow the token there (SSO, IP allow list).',
  unreachable: 'Check github.baseUrl, the network, and the proxy settings below.',
  timeout: 'Check the network and the proxy settings below.',
  malformed: 'Check github.baseUrl: GitHub Enterprise Server has its API at https://HOST/api/v3.',
  'rate-limited': 'Wait until the rate limit resets, or use a separate App for signalbox.',
}

export const github: Check = {
  id: 'github',
  title: 'GitHub',
  reaches: true,
  check: async ({ config, githubIdentity }) => {
    if (config.github.credential.kind === 'none') {
      return warn('no credential is configured', { cost: COST, fix: 'Set github.app (preferred) or github.token.' })
    }
    const identity = await githubIdentity()
    if (identity.kind === 'seen') return ok(`${config.github.baseUrl} as ${identity.value}`)
    const { code, detail } =
      identity.kind === 'blind' ? identity.reason : { code: 'malformed' as const, detail: 'GitHub returned nothing' }
    return fail(detail, { cost: COST, fix: FIXES[code] ?? 'Try again later; see https://www.githubstatus.com.' })
  },
}

/** A token is the same for every owner; an App has one token per owner. */
export const ANY_OWNER = 'any'

/** An App can ask who it is. A token is tested on the rate limits, which every valid token can read for free. */
export async function askGitHubIdentity({
  config,
  github: api,
  signal,
}: Pick<DoctorContext, 'config' | 'github' | 'signal'>): Promise<Observed<string>> {
  if (api === null) return blind('not-asked', 'no credential is configured')
  if (config.github.credential.kind === 'app') {
    const app = await api.access.app({ signal })
    return mapSeen(app, ({ slug, id }) => `App ${slug ?? id}`)
  }
  const budgets = await api.access.rateLimits(config.github.owners[0] ?? ANY_OWNER, { signal })
  return budgets.kind === 'blind' ? budgets : seen('a token')
}
