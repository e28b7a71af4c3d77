import { isoTime, json, notFound, refusal, unprocessable, validationFailed } from '#/sim/github/render/answers.ts'
import type { Installation, Permissions } from '#/sim/github/world/app.ts'
import { installationFor, installedOn } from '#/sim/github/world/app.ts'
import type { Context } from './context.ts'
import { linkHeader, numberedPage } from './pagination.ts'
import { covers } from './permissions.ts'
import { isObject } from './request-body.ts'
import { renderApp, renderConverted, renderInstallation } from '#/sim/github/render/render-app.ts'
import { renderWholeRepository } from '#/sim/github/render/render-repository.ts'
import type { Call, Route } from './router.ts'
import { idParam, param, repositoryName } from './router.ts'

const APP = { kind: 'app' } as const

export function appRoutes(context: Context): readonly Route[] {
  const { app, installations } = context
  const installationAnswer = (call: Call, found: Installation | undefined): Response =>
    found === undefined ? notFound() : json(200, renderInstallation(found, app, call.urls))

  return [
    {
      method: 'GET',
      path: '/app',
      access: APP,
      answer: (call) => json(200, renderApp(app, installations.size, call.urls)),
    },
    {
      method: 'GET',
      path: '/app/installations',
      access: APP,
      answer: (call) => {
        const page = numberedPage([...installations.values()], call.url)
        const rows = page.rows.map((installation) => renderInstallation(installation, app, call.urls))
        return json(200, rows, linkHeader(page.link))
      },
    },
    {
      method: 'GET',
      path: '/app/installations/{installation_id}',
      access: APP,
      answer: (call) => installationAnswer(call, installations.get(idParam(call, 'installation_id'))),
    },
    {
      method: 'GET',
      path: '/orgs/{org}/installation',
      access: APP,
      answer: (call) => {
        const found = installedOn(installations, param(call, 'org'))
        return installationAnswer(call, found?.account.type === 'Organization' ? found : undefined)
      },
    },
    {
      method: 'GET',
      path: '/users/{username}/installation',
      access: APP,
      // GitHub finds organisations here too.
      answer: (call) => installationAnswer(call, installedOn(installations, param(call, 'username'))),
    },
    {
      method: 'GET',
      path: '/repos/{owner}/{repo}/installation',
      access: APP,
      answer: (call) => installationAnswer(call, installationFor(installations, repositoryName(call))),
    },
    {
      method: 'POST',
      path: '/app/installations/{installation_id}/access_tokens',
      access: APP,
      answer: (call) => issueToken(context, call),
    },
    manifestRoute(context),
  ]
}

/** The code is the whole right. */
function manifestRoute(context: Context): Route {
  return {
    method: 'POST',
    path: '/app-manifests/{code}/conversions',
    access: { kind: 'anyone' },
    answer: (call) => {
      const converted = context.manifests.convert(param(call, 'code'))
      return converted === undefined ? notFound() : json(201, renderConverted(converted, call.urls))
    },
  }
}

function issueToken(context: Context, call: Call): Response {
  const installation = context.installations.get(idParam(call, 'installation_id'))
  if (installation === undefined) return notFound()
  if (installation.suspendedAt !== null) return refusal(403, 'This installation has been suspended')
  const asked = isObject(call.body) ? call.body : {}
  const permissions = narrowedPermissions(installation, asked['permissions'])
  if (permissions === null) {
    return unprocessable('The permissions requested are not granted to this installation.')
  }
  const repositories = narrowedRepositories(context, installation, asked['repositories'])
  if (repositories === undefined) return validationFailed('Installation', 'repositories', 'invalid')
  const issued = context.credentials.issue(installation, { permissions, repositories }, context.clock.now())
  const named = (repositories ?? []).flatMap((name) => context.world.repository(name) ?? [])
  return json(201, {
    token: issued.token,
    expires_at: isoTime(issued.expiresAt),
    permissions,
    repository_selection: repositories === null ? 'all' : 'selected',
    ...(repositories === null ? {} : { repositories: named.map((row) => renderWholeRepository(row, call.urls)) }),
  })
}

function narrowedPermissions(installation: Installation, asked: unknown): Permissions | null {
  if (!isObject(asked)) return installation.permissions
  const narrowed: Record<string, 'read' | 'write'> = { metadata: 'read' }
  for (const [permission, level] of Object.entries(asked)) {
    if (level !== 'read' && level !== 'write') return null
    if (!covers(installation.permissions, permission, level)) return null
    narrowed[permission] = level
  }
  return narrowed
}

/** `undefined` for a repository that the installation does not have. */
function narrowedRepositories(
  context: Context,
  installation: Installation,
  asked: unknown,
): readonly string[] | null | undefined {
  if (!Array.isArray(asked)) return installation.repositories
  const names = asked.map((name) => `${installation.account.login}/${String(name)}`)
  const known = names.every(
    (name) =>
      context.world.repository(name) !== undefined && installationFor(context.installations, name) === installation,
  )
  return known ? names : undefined
}
