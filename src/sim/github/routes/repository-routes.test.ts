import { describe, expect, it } from 'vitest'
import type { Answer } from '#test/github/checked-sim.ts'
import { createCheckedSim } from '#test/github/checked-sim.ts'

type Named = { readonly full_name: string }

const INSTALLATION = '/installation/repositories'

describe('the repositories of an installation', () => {
  it('are all of its account, page by page', async () => {
    const { sim, asInstallation } = createCheckedSim()
    sim.world.addRepository('acme/old', { archived: true })
    sim.world.addOrganization('beta')
    sim.world.addRepository('beta/open', { private: false })
    const first = await asInstallation('GET', `${INSTALLATION}?per_page=2`)
    expect(first).toMatchObject({
      status: 200,
      body: {
        total_count: 3,
        repository_selection: 'all',
        repositories: [
          { full_name: 'acme/api', archived: false, private: true },
          { full_name: 'acme/web', archived: false },
        ],
      },
    })
    expect(first.headers.get('link')).toContain(`${INSTALLATION}?per_page=2&page=2>; rel="next"`)
    const last = await asInstallation('GET', `${INSTALLATION}?per_page=2&page=2`)
    expect(last.body).toMatchObject({ total_count: 3, repositories: [{ full_name: 'acme/old', archived: true }] })
    expect(last.headers.get('link')).not.toContain('rel="next"')
  })

  it('are only those that it was given, also where others are public', async () => {
    const { sim, call } = createCheckedSim()
    sim.world.addOrganization('beta')
    sim.world.addRepository('beta/given')
    sim.world.addRepository('beta/open', { private: false })
    sim.install('beta', { repositories: ['Beta/Given'] })
    expect((await call('GET', INSTALLATION, { token: sim.installationToken('beta') })).body).toMatchObject({
      total_count: 1,
      repository_selection: 'selected',
      repositories: [{ full_name: 'beta/given' }],
    })
  })

  it('are only those that the token was narrowed to', async () => {
    const { installation, asApp, call } = createCheckedSim()
    const path = `/app/installations/${installation.id}/access_tokens`
    const { token } = (await asApp('POST', path, { repositories: ['web'] })).body as { readonly token: string }
    expect((await call('GET', INSTALLATION, { token })).body).toMatchObject({
      total_count: 1,
      repositories: [{ full_name: 'acme/web' }],
    })
  })

  it('are shown to nobody else', async () => {
    const { sim, asApp, call } = createCheckedSim()
    const refused = {
      status: 403,
      body: { message: expect.stringMatching(/^You must authenticate with an installation access token/u) as unknown },
    }
    expect(await call('GET', INSTALLATION, { token: sim.personalToken('acme') })).toMatchObject(refused)
    expect(await asApp('GET', INSTALLATION)).toMatchObject(refused)
    expect((await call('GET', INSTALLATION)).status).toBe(401)
  })
})

describe('the repositories of an organisation', () => {
  it('are listed newest first, page by page, with nothing but links', async () => {
    const { sim, call } = createCheckedSim()
    sim.world.addRepository('acme/old', { archived: true })
    const token = sim.personalToken('acme')
    const first = await call('GET', '/orgs/ACME/repos?per_page=2', { token })
    expect(first.body).toMatchObject([
      { full_name: 'acme/old', archived: true },
      { full_name: 'acme/web', archived: false },
    ])
    expect(first.headers.get('link')).toContain('/orgs/ACME/repos?per_page=2&page=2>; rel="next"')
    expect(namesIn(await call('GET', '/orgs/acme/repos?per_page=2&page=2', { token }))).toEqual(['acme/api'])
  })

  it('are shown as far as the caller sees them', async () => {
    const { sim, asInstallation, asApp, call } = createCheckedSim()
    sim.world.addRepository('acme/open', { private: false })
    sim.world.addOrganization('beta')
    sim.install('beta')
    const path = '/orgs/acme/repos'
    expect(namesIn(await asInstallation('GET', path))).toEqual(['acme/open', 'acme/web', 'acme/api'])
    expect(namesIn(await call('GET', path, { token: sim.installationToken('beta') }))).toEqual(['acme/open'])
    expect(namesIn(await call('GET', path))).toEqual(['acme/open'])
    expect((await asApp('GET', path)).status).toBe(401)
  })

  it.each([
    ['all', ['acme/open', 'acme/web', 'acme/api']],
    ['public', ['acme/open']],
    ['private', ['acme/web', 'acme/api']],
    ['forks', []],
  ])('can be asked for by type: %s', async (type, names) => {
    const { sim, asInstallation } = createCheckedSim()
    sim.world.addRepository('acme/open', { private: false })
    expect(namesIn(await asInstallation('GET', `/orgs/acme/repos?type=${type}`))).toEqual(names)
  })

  it('are not found where there is no organisation of the name', async () => {
    const { sim, asInstallation } = createCheckedSim()
    sim.world.addUser('mona')
    for (const login of ['nobody', 'mona']) {
      expect((await asInstallation('GET', `/orgs/${login}/repos`)).status).toBe(404)
    }
  })
})

describe('one repository', () => {
  it('is shown to those who may see it, otherwise not found', async () => {
    const { sim, asInstallation, call } = createCheckedSim()
    sim.world.addRepository('acme/open', { private: false, archived: true })
    expect(await asInstallation('GET', '/repos/acme/api')).toMatchObject({
      status: 200,
      body: { full_name: 'acme/api', visibility: 'private', archived: false },
    })
    expect((await call('GET', '/repos/Acme/Open')).body).toMatchObject({ full_name: 'acme/open', archived: true })
    expect((await call('GET', '/repos/acme/api')).status).toBe(404)
    expect((await asInstallation('GET', '/repos/acme/nothing')).status).toBe(404)
  })
})

function namesIn(answer: Answer): readonly string[] {
  return (answer.body as readonly Named[]).map(({ full_name: name }) => name)
}
