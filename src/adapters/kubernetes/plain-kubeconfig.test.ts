import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { extract } from './kubeconfig-credentials.ts'
import { loadKubeconfig } from './load-kubeconfig.ts'
import type { KubeconfigSource } from './load-kubeconfig.ts'
import { plainCredentials, readPlainKubeconfig } from './plain-kubeconfig.ts'

let folder = ''

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kubeconfig-'))
  await put('ca.crt', 'CA\n')
  await put('pki/client.crt', 'CERT')
  await put('pki/client.key', 'KEY')
  await put('pki/token', 'from-file\n')
})

afterAll(() => rm(folder, { recursive: true }))

async function put(name: string, text: string): Promise<string> {
  const path = join(folder, name)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text)
  return path
}

type Given = { readonly cluster?: object; readonly user?: object | null; readonly context?: object }

function config(given: Given, name = 'one'): object {
  return {
    'current-context': name,
    contexts: [{ name, context: { cluster: name, user: name, ...given.context } }],
    clusters: [{ name, cluster: { server: `https://${name}.example:6443/`, ...given.cluster } }],
    users: [{ name, user: given.user === undefined ? { token: `token of ${name}` } : given.user }],
  }
}

const base64 = (text: string): string => Buffer.from(text).toString('base64')

async function both(source: KubeconfigSource) {
  const plain = await readPlainKubeconfig(source)
  const own = plain === null ? null : await plainCredentials(plain)
  return { own, library: await extract(await loadKubeconfig(source)) }
}

describe('a kubeconfig without plugins', () => {
  it.each<readonly [string, Given]>([
    ['a token', { context: { namespace: 'ci' } }],
    ['a file with a token', { user: { tokenFile: 'pki/token', token: 'not this one' } }],
    ['files with certificates', { user: { 'client-certificate': 'pki/client.crt', 'client-key': 'pki/client.key' } }],
    [
      'certificates inside',
      {
        cluster: { 'certificate-authority-data': base64('CA\n') },
        user: { 'client-certificate-data': base64('CERT'), 'client-key-data': base64('KEY') },
      },
    ],
    [
      'a file and data: the file',
      { cluster: { 'certificate-authority': 'ca.crt', 'certificate-authority-data': base64('other') } },
    ],
    ['a server that is not verified', { cluster: { 'insecure-skip-tls-verify': true } }],
    ['another name and a proxy', { cluster: { 'tls-server-name': 'api', 'proxy-url': 'http://proxy:3128' } }],
    ['a user without credentials', { user: {} }],
    ['extensions', { cluster: { extensions: [{ name: 'x' }] } }],
  ])('gives what the library gives: %s', async (_what, given) => {
    const path = await put('config', JSON.stringify(config(given)))
    const { own, library } = await both({ kind: 'files', paths: [path] })
    expect(own).toEqual(library)
    expect(own?.kind).toBe('ready')
  })

  it('is merged out of several as the library has it, and another context can be asked for', async () => {
    const paths = [
      await put('first', JSON.stringify(config({}, 'one'))),
      join(folder, 'missing'),
      await put('second', JSON.stringify({ ...config({}, 'two'), users: [{ name: 'two', user: { token: 'x' } }] })),
    ]
    for (const context of [undefined, 'one', 'two']) {
      const { own, library } = await both({ kind: 'files', paths, context })
      expect(own).toEqual(library)
      expect(own?.server.hostname).toBe(`${context ?? 'one'}.example`)
    }
  })

  it.each<readonly [string, string]>([
    ['an exec plugin', JSON.stringify(config({ user: { exec: { command: 'aws' } } }))],
    ['a provider', JSON.stringify(config({ user: { 'auth-provider': { name: 'oidc' } } }))],
    ['a password', JSON.stringify(config({ user: { username: 'a', password: 'b' } }))],
    ['somebody to impersonate', JSON.stringify(config({ user: { token: 't', as: 'root' } }))],
    ['http', JSON.stringify(config({ cluster: { server: 'http://127.0.0.1:8001' } }))],
    ['an unknown key', JSON.stringify(config({ cluster: { 'disable-compression': true } }))],
    ['a cluster without a server', JSON.stringify(config({ cluster: { server: null } }))],
    ['no user', JSON.stringify(config({ user: null }))],
    ['no such context', JSON.stringify({ ...config({}), 'current-context': 'other' })],
    ['a text that is no YAML', '{ a: ['],
    ['nothing', ''],
  ])('is left to the library where it has %s', async (_what, text) => {
    const path = await put('config', text)
    expect(await readPlainKubeconfig({ kind: 'files', paths: [path] })).toBeNull()
  })

  it('is left to the library inside a cluster', async () => {
    expect(await readPlainKubeconfig({ kind: 'in-cluster' })).toBeNull()
  })

  it('fails as the library does where its only file is missing', async () => {
    const source = { kind: 'files', paths: [join(folder, 'missing')] } as const
    await expect(readPlainKubeconfig(source)).rejects.toMatchObject({ code: 'ENOENT' })
    await expect(loadKubeconfig(source)).rejects.toMatchObject({ code: 'ENOENT' })
  })
})
