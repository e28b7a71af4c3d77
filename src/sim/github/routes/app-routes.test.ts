import { describe, expect, it } from 'vitest'
import { createCheckedSim } from '#test/github/checked-sim.ts'
import type { Answer } from '#test/github/checked-sim.ts'

const HOUR = 3_600_000

describe('the installations of the App', () => {
  it('are listed, and found by id, organisation, user and repository', async () => {
    const { sim, installation, asApp } = createCheckedSim()
    sim.world.addUser('mona')
    sim.world.addRepository('mona/dots', { private: false })
    const personal = sim.install('mona', { repositories: ['mona/dots'] })
    expect((await asApp('GET', '/app')).body).toMatchObject({ id: sim.app.id, installations_count: 2 })
    expect((await asApp('GET', '/app/installations')).body).toMatchObject([
      { account: { login: 'acme' }, repository_selection: 'all' },
      { account: { login: 'mona' }, repository_selection: 'selected' },
    ])
    for (const path of [
      `/app/installations/${installation.id}`,
      '/orgs/acme/installation',
      '/users/acme/installation',
      '/repos/acme/api/installation',
    ]) {
      expect((await asApp('GET', path)).body).toMatchObject({ id: installation.id, app_id: sim.app.id })
    }
    expect((await asApp('GET', '/users/mona/installation')).body).toMatchObject({
      id: personal.id,
      account: { login: 'mona', type: 'User' },
    })
    for (const path of [
      '/app/installations/1',
      '/orgs/nobody/installation',
      '/orgs/mona/installation',
      '/users/nobody/installation',
      '/repos/mona/other/installation',
    ]) {
      expect((await asApp('GET', path)).status).toBe(404)
    }
  })
})

describe('installation tokens', () => {
  it('open the API for an hour', async () => {
    const { clock, installation, asApp, call } = createCheckedSim()
    const issued = await asApp('POST', `/app/installations/${installation.id}/access_tokens`)
    expect(issued).toMatchObject({
      status: 201,
      body: { expires_at: '2026-11-15T13:00:00Z', repository_selection: 'all' },
    })
    const token = readToken(issued)
    expect((await call('GET', '/orgs/acme/actions/runners', { token })).status).toBe(200)
    clock.advance(HOUR - 1)
    expect((await call('GET', '/orgs/acme/actions/runners', { token })).status).toBe(200)
    clock.advance(1)
    expect(await call('GET', '/orgs/acme/actions/runners', { token })).toMatchObject({
      status: 401,
      body: { message: 'Bad credentials' },
    })
  })

  it('can be narrowed to repositories and permissions, never widened', async () => {
    const { installation, asApp, call } = createCheckedSim()
    const path = `/app/installations/${installation.id}/access_tokens`
    const issued = await asApp('POST', path, { repositories: ['api'], permissions: { actions: 'read' } })
    expect(issued.body).toMatchObject({
      permissions: { actions: 'read' },
      repository_selection: 'selected',
      repositories: [{ full_name: 'acme/api' }],
    })
    const token = readToken(issued)
    expect((await call('GET', '/repos/acme/api/actions/runs', { token })).status).toBe(200)
    expect((await call('GET', '/repos/acme/web/actions/runs', { token })).status).toBe(404)
    expect((await call('GET', '/repos/acme/api/actions/runners', { token })).status).toBe(403)
    expect((await asApp('POST', path, { permissions: { contents: 'write' } })).status).toBe(422)
    expect((await asApp('POST', path, { repositories: ['unknown'] })).status).toBe(422)
  })

  it('are not given for an installation that is suspended or gone, and no longer good there', async () => {
    const { sim, installation, asApp, call } = createCheckedSim()
    const token = sim.installationToken('acme')
    const path = `/app/installations/${installation.id}/access_tokens`
    sim.suspend(installation.id)
    expect(await asApp('POST', path)).toMatchObject({
      status: 403,
      body: { message: 'This installation has been suspended' },
    })
    expect((await call('GET', '/orgs/acme/actions/runners', { token })).status).toBe(403)
    sim.uninstall(installation.id)
    expect((await asApp('POST', path)).status).toBe(404)
    expect((await call('GET', '/orgs/acme/actions/runners', { token })).status).toBe(401)
  })

  it('stop working when they are revoked', async () => {
    const { sim, call } = createCheckedSim()
    const token = sim.installationToken('acme')
    sim.revokeToken(token)
    expect((await call('GET', '/orgs/acme/actions/runners', { token })).status).toBe(401)
  })
})

describe('what a token may', () => {
  it('is refused with 403 and the permission that would do', async () => {
    const { sim, call } = createCheckedSim()
    sim.world.addOrganization('beta')
    sim.install('beta', { permissions: { organization_self_hosted_runners: 'read' } })
    const token = sim.installationToken('beta')
    const read = await call('GET', '/orgs/beta/actions/runners', { token })
    expect(read.status).toBe(200)
    expect(read.headers.get('x-accepted-github-permissions')).toBe('organization_self_hosted_runners=read')
    const write = await call('POST', '/orgs/beta/actions/runners/registration-token', { token })
    expect(write).toMatchObject({ status: 403, body: { message: 'Resource not accessible by integration' } })
    expect(write.headers.get('x-accepted-github-permissions')).toBe('organization_self_hosted_runners=write')
    expect(write.headers.get('x-ratelimit-remaining')).not.toBe('0')
    expect((await call('GET', '/orgs/acme/actions/runners', { token })).status).toBe(403)
    expect((await call('GET', '/repos/acme/api/actions/runs', { token })).status).toBe(404)
  })

  it('is worded otherwise for a personal access token', async () => {
    const { sim, call } = createCheckedSim()
    const token = sim.personalToken('acme', { actions: 'read' })
    expect((await call('GET', '/repos/acme/api/actions/runs', { token })).status).toBe(200)
    expect(await call('GET', '/orgs/acme/actions/runners', { token })).toMatchObject({
      status: 403,
      body: { message: 'Resource not accessible by personal access token' },
    })
  })

  it('is nothing without a token or with one that GitHub never gave', async () => {
    const { call } = createCheckedSim()
    expect((await call('GET', '/orgs/acme/actions/runners')).status).toBe(401)
    for (const token of ['ghs_made_up', 'plain']) {
      expect((await call('GET', '/orgs/acme/actions/runners', { token })).status).toBe(401)
    }
  })
})

function readToken(answer: Answer): string {
  return (answer.body as { readonly token: string }).token
}

describe('an App manifest', () => {
  const manifest = {
    name: 'signalbox acme',
    permissions: { metadata: 'read' },
    events: ['workflow_job'],
    webhookUrl: 'https://signalbox.example/webhooks/github',
  } as const

  it('is exchanged once, by its code alone, for the App with its key', async () => {
    const { sim, call } = createCheckedSim()
    const code = sim.submitManifest(manifest)
    expect(await call('POST', `/app-manifests/${code}/conversions`)).toMatchObject({
      status: 201,
      body: { slug: 'signalbox-acme', pem: sim.keys.privateKeyPem, events: ['workflow_job'] },
    })
    expect((await call('POST', `/app-manifests/${code}/conversions`)).status).toBe(404)
    expect((await call('POST', '/app-manifests/unknown/conversions')).status).toBe(404)
  })

  it('without a webhook gives no secret', async () => {
    const { sim, call } = createCheckedSim()
    const code = sim.submitManifest({ ...manifest, webhookUrl: null, events: [] })
    const { body } = await call('POST', `/app-manifests/${code}/conversions`)
    expect(body).toMatchObject({ webhook_secret: null })
  })

  it('is forgotten after an hour', async () => {
    const { sim, clock, call } = createCheckedSim()
    const code = sim.submitManifest(manifest)
    clock.advance(HOUR)
    expect((await call('POST', `/app-manifests/${code}/conversions`)).status).toBe(404)
  })
})
