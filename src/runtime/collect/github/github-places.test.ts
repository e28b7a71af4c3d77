import { describe, expect, it } from 'vitest'
import { findRegistrations } from './github-places.ts'

const nothing = { repositories: [], organizations: [], configUrls: [] }
const organization = (name: string) => ({ kind: 'organization', organization: name })
const repository = (name: string) => ({ kind: 'repository', repository: name })

describe('where a runner may be registered', () => {
  it.each([
    ['nowhere, where nothing is known', {}, []],
    [
      'with the owner of a repository, or with the repository',
      { repositories: ['acme/app'] },
      [organization('acme'), repository('acme/app')],
    ],
    [
      'where ARC says',
      { configUrls: ['https://github.com/acme/', 'https://github.com/acme/app'] },
      [organization('acme'), repository('acme/app')],
    ],
    ['not with an enterprise', { configUrls: ['https://github.com/enterprises/acme', 'nonsense'] }, []],
    [
      'in each place once',
      { organizations: ['acme'], repositories: ['acme/app'], configUrls: ['https://github.com/acme'] },
      [organization('acme'), repository('acme/app')],
    ],
  ])('is %s', (_, known, expected) => {
    expect(findRegistrations({ ...nothing, ...known })).toEqual(expected)
  })
})
