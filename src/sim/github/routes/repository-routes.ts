import { json, notFound } from '#/sim/github/render/answers.ts'
import type { Context } from './context.ts'
import type { Principal } from '#/sim/github/access/credentials.ts'
import { linkHeader, numberedPage } from './pagination.ts'
import { reaches } from './permissions.ts'
import { renderFullRepository, renderWholeRepository } from '#/sim/github/render/render-repository.ts'
import type { Call, Route } from './router.ts'
import { param, repositoryName } from './router.ts'
import type { Repository } from '#/sim/github/world/world-state.ts'

const READER = { kind: 'reader' } as const

export function repositoryRoutes(context: Context): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/installation/repositories',
      access: { kind: 'installation' },
      answer: (call) => listOfInstallation(context, call),
    },
    { method: 'GET', path: '/orgs/{org}/repos', access: READER, answer: (call) => listOfOrganization(context, call) },
    {
      method: 'GET',
      path: '/repos/{owner}/{repo}',
      access: READER,
      answer: (call) => {
        const repository = context.world.repository(repositoryName(call))
        if (repository === undefined || !isVisible(repository, call.principal)) return notFound()
        return json(200, renderFullRepository(repository, call.urls))
      },
    },
  ]
}

/** What the installation was given: a public repository that it was not given is no part of it. */
function listOfInstallation({ world }: Context, call: Call): Response {
  const { principal } = call
  const given = world.repositories().filter(({ fullName }) => reaches(principal, fullName))
  const page = numberedPage(given, call.url)
  const isSelected = principal.kind === 'token' && principal.repositories !== null
  return json(
    200,
    {
      total_count: given.length,
      repository_selection: isSelected ? 'selected' : 'all',
      repositories: page.rows.map((repository) => renderWholeRepository(repository, call.urls)),
    },
    linkHeader(page.link),
  )
}

/** There are no forks, and `sort` changes nothing: newest first, which is GitHub's default order. */
function listOfOrganization({ world }: Context, call: Call): Response {
  const organization = world.account(param(call, 'org'))
  if (organization?.type !== 'Organization') return notFound()
  const type = call.url.searchParams.get('type')
  const visible = world
    .repositories()
    .filter(({ owner }) => owner.id === organization.id)
    .filter((repository) => isVisible(repository, call.principal) && isOfType(repository, type))
    .toReversed()
  const page = numberedPage(visible, call.url)
  const rows = page.rows.map((repository) => renderWholeRepository(repository, call.urls))
  return json(200, rows, linkHeader(page.link))
}

function isVisible(repository: Repository, principal: Principal): boolean {
  return !repository.private || reaches(principal, repository.fullName)
}

function isOfType(repository: Repository, type: string | null): boolean {
  if (type === 'forks') return false
  if (type === 'public') return !repository.private
  return type !== 'private' || repository.private
}
