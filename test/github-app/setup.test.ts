import { request } from 'node:http'
import { mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { parse } from 'yaml'
import { loadConfig } from '#/config/load.ts'
import { createHandClock } from '#test/github/hand-clock.ts'
import type { AppGitHub, Form } from '#test/github-app/fake-browser.ts'
import { clickThrough, confirm, readForm, serveAppGitHub, setUp } from '#test/github-app/fake-browser.ts'

vi.setConfig({ testTimeout: 60_000 })

let folder: string
let out: string
let github: AppGitHub

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-github-app-'))
  out = join(folder, 'app')
  github = await serveAppGitHub()
})

afterEach(async () => {
  await github.served.stop()
  await rm(folder, { recursive: true, force: true })
})

const DISPATCH = ['--for', 'dispatch', '--organization', 'acme', '--webhook-url', 'https://ci.example.com']
const here = (): readonly string[] => ['--github-url', github.served.url, '--out', out]

/** With the Host that it is given, which `fetch` does not allow. */
function statusWithHost(url: string, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(url, { headers: { host } }, (answer) => {
      answer.resume()
      resolve(answer.statusCode)
    })
      .on('error', reject)
      .end()
  })
}

describe('signalbox github setup', () => {
  it('creates the App, stores key and secret as private files, and prints neither', async () => {
    let seen: { form: Form; end: string } | undefined
    const ran = await setUp([...DISPATCH, ...here()], async (page) => {
      seen = await clickThrough(github.sim, page)
    })
    expect(ran.code).toBe(0)
    expect(seen?.form.action.href).toMatch(`${github.served.url}/organizations/acme/settings/apps/new?state=`)
    expect(seen?.form.manifest).toMatchObject({
      name: 'signalbox-acme',
      public: false,
      hook_attributes: { url: 'https://ci.example.com/webhooks/github', active: true },
      default_permissions: { metadata: 'read', actions: 'read', checks: 'read', administration: 'write' },
      default_events: ['workflow_job'],
    })
    const key = await readFile(join(out, 'private-key.pem'), 'utf8')
    const secret = await readFile(join(out, 'webhook-secret'), 'utf8')
    expect(key).toBe(github.sim.keys.privateKeyPem)
    expect(secret).toMatch(/^[0-9a-f]{40}$/)
    expect((await readdir(out)).toSorted()).toEqual(['private-key.pem', 'webhook-secret'])
    for (const file of await readdir(out)) expect((await stat(join(out, file))).mode & 0o777).toBe(0o600)
    expect((await stat(out)).mode & 0o777).toBe(0o700)
    expect(seen?.end).toContain(`${github.served.url}/apps/signalbox-acme/installations/new`)
    expect(ran.stdout).toContain(`${github.served.url}/apps/signalbox-acme/installations/new`)
    for (const text of [ran.stdout, ran.stderr, seen?.end ?? '']) {
      expect(text).not.toContain(secret)
      expect(text).not.toMatch(/PRIVATE KEY|[A-Za-z0-9+/]{60}/)
    }
  })

  it('prints settings that are a valid configuration', async () => {
    const args = [...DISPATCH, '--scope', 'both', ...here(), '-o', 'json']
    const ran = await setUp(args, async (page) => void (await clickThrough(github.sim, page)))
    const document = JSON.parse(ran.stdout) as { configuration: object; app: { id: number } }
    const file = join(folder, 'signalbox.yaml')
    await writeFile(file, JSON.stringify(document.configuration))
    expect(await loadConfig({ file, flags: [], workingFolder: folder }, {})).toMatchObject({
      kind: 'valid',
      config: {
        github: {
          baseUrl: `${github.served.url}/api/v3`,
          owners: ['acme'],
          credential: { kind: 'app', id: github.sim.app.id },
        },
      },
    })
    expect(document.app.id).toBe(github.sim.app.id)
  })

  it('asks for no webhook and only for reading when it observes', async () => {
    let form: Form | undefined
    const ran = await setUp(here(), async (page) => {
      form = (await clickThrough(github.sim, page)).form
    })
    expect(form?.action.pathname).toBe('/settings/apps/new')
    expect(form?.manifest).not.toHaveProperty('hook_attributes')
    expect(form?.manifest.default_events).toEqual([])
    expect(Object.values(form?.manifest.default_permissions ?? {})).not.toContain('write')
    expect(await readdir(out)).toEqual(['private-key.pem'])
    expect(parse(ran.stdout.split('Into signalbox.yaml\n')[1]?.split('\n\n')[0] ?? '')).toMatchObject({
      github: { app: { privateKeyFile: join(out, 'private-key.pem') } },
    })
  })

  it('shows a page without scripts that nothing keeps, frames, or sends elsewhere', async () => {
    await setUp(here(), async (page) => {
      const { headers, html } = await readForm(page)
      expect(html).not.toMatch(/<script|\son\w+=|<img|<link/i)
      expect(headers.get('cache-control')).toBe('no-store')
      expect(headers.get('content-security-policy')).toMatch(
        new RegExp(
          `^default-src 'none'; style-src 'sha256-[^']+'; form-action ${github.served.url}; base-uri 'none'; frame-ancestors 'none'$`,
        ),
      )
      await clickThrough(github.sim, page)
    })
  })

  it('refuses a wrong state, a foreign Host, another path, a POST, and goes on waiting', async () => {
    const ran = await setUp(here(), async (page) => {
      const form = await readForm(page)
      const back = confirm(github.sim, form)
      const wrong = new URL(back)
      wrong.searchParams.set('state', `${form.state.slice(0, -1)}_`)
      const none = new URL(back)
      none.searchParams.delete('state')
      const noCode = new URL(back)
      noCode.searchParams.delete('code')
      for (const [url, status] of [
        [wrong, 403],
        [none, 403],
        [noCode, 400],
        [new URL('/', back), 404],
        [new URL('/start/guessed', back), 404],
      ] as const) {
        expect((await fetch(url)).status).toBe(status)
      }
      expect((await fetch(back, { method: 'POST' })).status).toBe(405)
      expect(await statusWithHost(page, 'attacker.example')).toBe(421)
      expect(await statusWithHost(back.href, `localhost:${back.port}`)).toBe(421)
      expect((await fetch(back)).status).toBe(200)
    })
    expect(ran.code).toBe(0)
    expect(ran.stderr).toContain('an answer with another state came, and was refused')
  })

  it('takes one code, and is gone afterwards', async () => {
    let back: URL | undefined
    await setUp(here(), async (page) => {
      back = confirm(github.sim, await readForm(page))
      const [first, second] = await Promise.all([fetch(back), fetch(back)])
      expect(new Set([first.status, second.status])).toEqual(new Set([200, 410]))
    })
    await expect(fetch(back ?? '')).rejects.toThrow('fetch failed')
  })

  it('says what to do when GitHub does not know the code any more', async () => {
    const ran = await setUp(here(), async (page) => {
      const back = confirm(github.sim, await readForm(page))
      back.searchParams.set('code', 'replayed')
      await (await fetch(back)).text()
    })
    expect(ran.code).toBe(1)
    expect(ran.stderr).toContain('GitHub does not know the code: it was used, or is older than an hour')
    expect(ran.stderr).toContain(`${github.served.url}/settings/apps`)
    expect(await readdir(out)).toEqual([])
  })

  it('names the next step when GitHub cannot be reached, and never the code', async () => {
    const nowhere = ['--github-url', 'http://127.0.0.1:1', '--out', out]
    const ran = await setUp(nowhere, async (page) => {
      const back = confirm(github.sim, await readForm(page))
      back.searchParams.set('code', 'thecode42')
      await (await fetch(back)).text()
    })
    expect(ran.code).toBe(3)
    expect(ran.stderr).toContain('check that this machine reaches http://127.0.0.1:1/api/v3')
    expect(ran.stderr).not.toContain('thecode42')
  })

  it('leaves nothing behind on Ctrl-C', async () => {
    const stopping = new AbortController()
    let page = ''
    const ran = await setUp(
      here(),
      async (shown) => {
        page = shown
        stopping.abort()
      },
      { signal: stopping.signal },
    )
    expect(ran.code).toBe(130)
    expect(ran.stdout).toBe('')
    expect(await readdir(out)).toEqual([])
    await expect(fetch(page)).rejects.toThrow('fetch failed')
  })

  it('gives up after an hour', async () => {
    const clock = createHandClock()
    const ran = await setUp(here(), async () => clock.advance(3_600_000), { clock })
    expect(ran.code).toBe(1)
    expect(ran.stderr).toContain('nobody came back from GitHub within an hour')
  })

  it('replaces no file without --force, and asks before anything is created', async () => {
    await setUp(here(), async (page) => void (await clickThrough(github.sim, page)))
    const refused = await setUp(here(), async () => {
      throw new Error('a page was shown')
    })
    expect(refused.code).toBe(2)
    expect(refused.stderr).toContain('--force to replace it')
    await writeFile(join(out, 'private-key.pem'), 'old')
    const forced = await setUp([...here(), '--force'], async (page) => void (await clickThrough(github.sim, page)))
    expect(forced.code).toBe(0)
    expect(await readFile(join(out, 'private-key.pem'), 'utf8')).toBe(github.sim.keys.privateKeyPem)
    expect((await stat(join(out, 'private-key.pem'))).mode & 0o777).toBe(0o600)
  })

  it.each([
    [['--out', 'x', '--for', 'dispatch'], '--for dispatch requires --webhook-url'],
    [['--out', 'x', '--webhook-url', 'http://ci.example.com'], 'is not an https address'],
    [['--out', 'x', '--scope', 'organization'], '--scope organization requires --organization'],
    [['--out', 'x', '--organization', 'a/b'], 'is not the login of an organisation'],
    [['--out', 'x', '--github-url', 'http://github.example.com'], 'is not the site of a GitHub'],
    [['--out', 'x', '--name', 'n'.repeat(35)], '--name cannot be the name of an App'],
    [['--secret', 'one'], 'is not a namespace and a name'],
    [[], 'where do the key and the secret go?'],
  ])('refuses %j before anything is done', async (args, message) => {
    const ran = await setUp(args, async () => {
      throw new Error('a page was shown')
    })
    expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining(message)])
  })
})
