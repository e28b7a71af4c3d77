import type { Observed } from '#/core/basics/observed.ts'
import { none, seenList } from '#/core/basics/observed.ts'
import type { Access, Budget, Installation, Permission, Waiting } from '#/ports/github.ts'
import type { Ask } from '#/adapters/github/http/ask.ts'
import type { Client } from '#/adapters/github/http/client.ts'
import { findInstallation } from '#/adapters/github/http/find-installation.ts'
import { asBlind } from './observe.ts'
import { missingFromInstallation, missingFromScopes } from './permissions.ts'
import { appSchema, installationSchema, rateLimitSchema } from './schemas.ts'
import { shape } from '#/adapters/github/http/shape.ts'

export function createAccess(client: Client): Access {
  return {
    budgets: client.budgets,
    budgetOwner: client.budgetOwner,
    clockSkewMs: client.clockSkewMs,
    rateLimits: (owner, options) => rateLimits(client, owner, options),
    installation: (owner, options) => readInstallation(client, owner, options),
    app: async (options) => {
      const answer = await client.ask({
        method: 'GET',
        path: ['app'],
        as: { kind: 'app' },
        again: 'harmless',
        ...options,
      })
      return answer.kind === 'ok' ? shape(answer.json, appSchema, client.scrub) : asBlind(answer)
    },
    missing: (owner, needed, options) => missing(client, owner, needed, options),
  }
}

async function rateLimits(
  client: Client,
  owner: string,
  options: Waiting | undefined,
): Promise<Observed<readonly Budget[]>> {
  const answer = await client.ask(openToAll('rate_limit', owner, options))
  // An enterprise server without limits has no such page.
  if (answer.kind === 'absent') return none()
  if (answer.kind !== 'ok') return asBlind(answer)
  const parsed = shape(answer.json, rateLimitSchema, client.scrub)
  if (parsed.kind === 'blind') return parsed
  const figures = Object.entries(parsed.value.resources).map(([resource, { limit, remaining, reset }]) => ({
    resource,
    limit,
    remaining,
    resetAt: reset * 1000,
  }))
  return seenList(client.setBudgets(answer.credential, figures))
}

/** Nobody can hide an installation from its own App, so a 404 here means that there is none. */
async function readInstallation(
  client: Client,
  owner: string,
  options: Waiting | undefined,
): Promise<Observed<Installation>> {
  const answer = await findInstallation(client.ask, owner, options?.signal)
  if (answer.kind === 'absent') return none()
  return answer.kind === 'ok' ? shape(answer.json, installationSchema, client.scrub) : asBlind(answer)
}

async function missing(
  client: Client,
  owner: string,
  needed: readonly Permission[],
  options: Waiting | undefined,
): Promise<Observed<readonly Permission[]>> {
  if (client.credentialKind === 'app') {
    return missingFromInstallation(await readInstallation(client, owner, options), needed)
  }
  const answer = await client.ask(openToAll('meta', owner, options))
  return answer.kind === 'ok' ? missingFromScopes(answer.scopes, needed) : asBlind(answer)
}

function openToAll(page: 'rate_limit' | 'meta', owner: string, options: Waiting | undefined): Ask {
  return { method: 'GET', path: [page], as: { kind: 'owner', owner }, again: 'harmless', signal: options?.signal }
}
