import type { Registration } from '#/ports/github.ts'
import type { Ask } from '#/adapters/github/http/ask.ts'

/** An empty part makes the client refuse the request, which is right for a name that is not `owner/name`. */
export function splitRepository(repository: string): { readonly owner: string; readonly name: string } {
  const [owner = '', name = '', ...rest] = repository.split('/')
  return rest.length === 0 ? { owner, name } : { owner: '', name: '' }
}

type Part = string | number
type AskBy = Pick<Ask, 'path' | 'as' | 'signal'>

export function inRepository(repository: string, parts: readonly Part[], signal?: AbortSignal): AskBy {
  const { owner, name } = splitRepository(repository)
  return { path: ['repos', owner, name, ...parts], as: { kind: 'owner', owner }, signal }
}

export function inOrganization(organization: string, parts: readonly Part[], signal?: AbortSignal): AskBy {
  return { path: ['orgs', organization, ...parts], as: { kind: 'owner', owner: organization }, signal }
}

export function atRegistration(at: Registration, parts: readonly Part[], signal?: AbortSignal): AskBy {
  const path = ['actions', 'runners', ...parts]
  return at.kind === 'organization'
    ? inOrganization(at.organization, path, signal)
    : inRepository(at.repository, path, signal)
}

export function get(by: AskBy, query: Readonly<Record<string, Part>> = {}): Ask {
  return { method: 'GET', again: 'harmless', query, ...by }
}

/** Shows whether the credential sees the repository and may read its jobs: what witnesses an absence in it. */
export function repositoryItself(repository: string, signal?: AbortSignal): Ask {
  return get(inRepository(repository, ['actions', 'runs'], signal), { per_page: 1 })
}
