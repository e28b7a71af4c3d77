import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { at, textAt } from '#/core/basics/fields.ts'
import type { AppGitHub } from '#test/github-app/fake-browser.ts'
import { clickThrough, serveAppGitHub, setUp } from '#test/github-app/fake-browser.ts'
import { SimulatedApi } from '#test/reap/simulated-api.ts'

vi.setConfig({ testTimeout: 60_000 })

let folder: string
let github: AppGitHub
let api: SimulatedApi
let args: readonly string[]

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-github-app-'))
  github = await serveAppGitHub()
  api = new SimulatedApi()
  api.objects.set('secrets', [])
  const kubeconfig = join(folder, 'kubeconfig')
  await writeFile(
    kubeconfig,
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
      clusters: [{ name: 'c', cluster: { server: await api.listen() } }],
      users: [{ name: 'u', user: {} }],
    }),
  )
  const chosen = '--for dispatch --organization acme --webhook-url https://ci.example.com --secret signalbox/github-app'
  args = [...chosen.split(' '), '--github-url', github.served.url, '--kubeconfig', kubeconfig]
})

afterEach(async () => {
  api.server.closeAllConnections()
  api.server.close()
  await github.served.stop()
  await rm(folder, { recursive: true, force: true })
})

const click = async (page: string): Promise<void> => void (await clickThrough(github.sim, page))
const nobody = async (): Promise<void> => {
  throw new Error('a page was shown')
}
const stored = (key: string): string =>
  Buffer.from(textAt(api.find('secrets', 'github-app'), 'data', key) ?? '', 'base64').toString('utf8')

describe('signalbox github setup --secret', () => {
  it('creates the Secret, and prints the values of the chart without it', async () => {
    const ran = await setUp(args, click)
    expect([ran.stderr, ran.code]).toEqual([expect.anything(), 0])
    expect(stored('private-key.pem')).toBe(github.sim.keys.privateKeyPem)
    expect(stored('webhook-secret')).toMatch(/^[0-9a-f]{40}$/)
    expect(at(api.find('secrets', 'github-app'), 'metadata', 'namespace')).toBe('signalbox')
    expect(ran.stdout).toContain('existingSecret: github-app')
    expect(ran.stdout).toContain('key: webhook-secret')
    for (const text of [ran.stdout, ran.stderr]) {
      expect(text).not.toContain(stored('webhook-secret'))
      expect(text).not.toContain('PRIVATE KEY')
    }
  })

  it('replaces one only with --force', async () => {
    await setUp(args, click)
    const first = stored('webhook-secret')
    const refused = await setUp(args, nobody)
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('exists already')])
    expect((await setUp([...args, '--force'], click)).code).toBe(0)
    expect(stored('webhook-secret')).not.toBe(first)
  })

  it('does not begin without the right, and creates with no right to read', async () => {
    api.denied.add('create secrets')
    const refused = await setUp(args, nobody)
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining('you may not create Secrets in signalbox'),
    ])
    api.denied.clear()
    api.denied.add('get secrets')
    expect((await setUp(args, click)).code).toBe(0)
  })

  it('says how to go on when the App exists and its key could not be stored', async () => {
    const ran = await setUp(args, async (page) => {
      api.denied.add('create secrets')
      await click(page)
    })
    expect(ran.code).toBe(1)
    expect(ran.stderr).toContain(
      `the App signalbox-acme (${github.sim.app.id}) exists, but its key could not be stored`,
    )
    expect(ran.stderr).toContain('generate a private key')
    expect(ran.stdout + ran.stderr).not.toContain('PRIVATE KEY')
  })
})
