import { describe, expect, it } from 'vitest'
import { blind, none, seen } from '#/core/basics/observed.ts'
import type { GitLab } from '#/ports/gitlab.ts'
import { gathered } from '#test/collect/gathered.ts'
import { WHOLE_FLEET } from '#/runtime/collect/request/request.ts'
import type { FleetWish } from '#/runtime/collect/request/request.ts'

const gitlab = (own: Partial<GitLab> = {}): GitLab => ({
  groupRunners: async () => seen([{ id: 7, description: 'main' }, { id: 8 }]),
  runner: async (id) => seen({ id, token: 'glrt-secret', tag_list: ['linux'], locked: true }),
  tokenOwner: async () => seen({ username: 'bot', access_level: 40 }),
  ...own,
})
const config = '[[runners]]\n  id = 7\n'
const declared = { text: '', file: { gitlab: { group: 'platform' } } }
const collect = (api: GitLab, fleet: Partial<FleetWish> = { declared, gitlabConfig: config }) =>
  gathered({ gitlab: { api, group: null }, fleet: { ...WHOLE_FLEET, ...fleet } })

describe('what GitLab says of a fleet', () => {
  it('is its list, with the details of the runners of the configuration, and never a token', async () => {
    const asked: number[] = []
    const api = gitlab({
      runner: async (id) => {
        asked.push(id)
        return seen({ id, token: 'glrt-secret', tag_list: ['linux'], locked: true })
      },
    })
    const { files, sources } = await collect(api)
    expect(JSON.parse(files.get('gitlab/runners.json') ?? '')).toEqual([
      { id: 7, description: 'main', tag_list: ['linux'], locked: true },
      { id: 8 },
    ])
    expect([asked, sources['gitlab/runners'], sources['gitlab/token-owner']]).toEqual([[7], 'looked', 'looked'])
    expect(JSON.stringify([...files])).not.toContain('glrt-secret')
  })

  it('is not asked for where somebody gave the list, without a token, and without a group', async () => {
    const never = gitlab({ groupRunners: () => Promise.reject(new Error('asked')) })
    const { files } = await collect(never, { declared, gitlabRunners: '[]' })
    expect(files.get('gitlab/runners.json')).toBe('[]')
    expect((await gathered({})).sources['gitlab/runners']).toBeUndefined()
    const nowhere = await collect(never, {})
    expect(nowhere.sources['gitlab/runners']).toMatch(/^not-asked: no group is known/)
  })

  it('is blind where GitLab does not answer, and a stranger is no owner', async () => {
    const api = gitlab({ groupRunners: async () => blind('forbidden', '403'), tokenOwner: async () => none() })
    const { sources, files } = await collect(api)
    expect(sources['gitlab/runners']).toBe('forbidden: 403')
    expect(sources['gitlab/token-owner']).toBe("unsupported: the token's owner is no member of platform")
    expect(files.has('gitlab/runners.json')).toBe(false)
  })
})
