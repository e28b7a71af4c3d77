import { describe, expect, it } from 'vitest'
import { Secret } from '#/core/basics/secret.ts'
import type { Observed } from '#/core/basics/observed.ts'
import { sendJson, serveHttp } from '#test/collect/http-service.ts'
import type { Asked, HttpService } from '#test/collect/http-service.ts'
import { createGitLab } from './gitlab.ts'

const TOKEN = 'glpat-the-token-that-nobody-may-see'
const signal = new AbortController().signal

const open = ({ url, http }: HttpService) =>
  createGitLab({ baseUrl: url, token: new Secret('gitlab-token', TOKEN), http })

const paths = (asked: readonly Asked[]): readonly string[] => asked.map(({ url }) => `${url.pathname}${url.search}`)

const code = (read: Observed<unknown>): string => (read.kind === 'blind' ? read.reason.code : read.kind)

describe('the runners of a group at GitLab', () => {
  it('are read page by page, with the token in a header', async () => {
    await using service = await serveHttp(({ url }, response) => {
      const page = Number(url.searchParams.get('page'))
      sendJson(response, [{ id: page }], { headers: { 'x-next-page': page < 3 ? String(page + 1) : '' } })
    })
    const read = await open(service).groupRunners('platform/ci', signal)
    expect(read).toEqual({ kind: 'seen', value: [{ id: 1 }, { id: 2 }, { id: 3 }] })
    expect(paths(service.asked)[0]).toBe('/api/v4/groups/platform%2Fci/runners/all?per_page=100&page=1')
    expect(service.asked.every(({ headers }) => headers['private-token'] === TOKEN)).toBe(true)
  })

  it('are asked for without "all" where GitLab does not know that', async () => {
    await using service = await serveHttp(({ url }, response) =>
      url.pathname.endsWith('/all') ? sendJson(response, {}, { status: 404 }) : sendJson(response, [{ id: 1 }]),
    )
    expect(await open(service).groupRunners('7', signal)).toMatchObject({ kind: 'seen' })
    expect(service.asked.map(({ url }) => url.pathname)).toEqual([
      '/api/v4/groups/7/runners/all',
      '/api/v4/groups/7/runners',
    ])
  })

  it.each([
    ['unauthenticated', 401, {}],
    ['forbidden', 403, {}],
    ['forbidden', 404, { message: '404 Group Not Found' }],
    ['rate-limited', 429, {}],
    ['server-error', 502, {}],
    ['malformed', 200, { message: 'no list' }],
    ['malformed', 200, [1]],
    ['none', 200, []],
  ])('are %s at %i %j, and nothing says the token', async (expected, status, body) => {
    await using service = await serveHttp((_, response) => sendJson(response, body, { status }))
    const read = await open(service).groupRunners('7', signal)
    expect(code(read)).toBe(expected)
    expect(JSON.stringify(read)).not.toContain(TOKEN)
  })

  it('are blind where they are too many', async () => {
    await using service = await serveHttp((_, response) =>
      sendJson(response, [{ id: 1 }], { headers: { 'x-next-page': '2' } }),
    )
    expect(code(await open(service).groupRunners('7', signal))).toBe('truncated')
    expect(service.asked.length).toBe(50)
  })
})

describe('the owner of the token', () => {
  it('is a member of the group, or none', async () => {
    await using service = await serveHttp(({ url }, response) => {
      if (url.pathname.endsWith('/user')) return sendJson(response, { id: 9, username: 'bot' })
      return url.pathname.includes('/groups/mine/')
        ? sendJson(response, { id: 9, access_level: 50 })
        : sendJson(response, {}, { status: 404 })
    })
    const gitlab = open(service)
    expect(await gitlab.tokenOwner('mine', signal)).toEqual({ kind: 'seen', value: { id: 9, access_level: 50 } })
    expect(await gitlab.tokenOwner('other', signal)).toEqual({ kind: 'none' })
    expect(service.asked[1]?.url.pathname).toBe('/api/v4/groups/mine/members/all/9')
  })
})
