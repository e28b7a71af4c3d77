import { chmod, mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'
import type { ApiServer } from '#test/cluster/cluster.ts'
import { openConnectProxy } from '#test/kubernetes/connect-proxy.ts'
import { startCertificateServer } from '#test/kubernetes/certificate-server.ts'
import { connectBy, connectWith, loadCredentials, unhurried } from './kubernetes-means.ts'

const NAMESPACES = { resource: RESOURCES.namespaces }
const PLAIN = `
clusters: [{ name: c, cluster: { server: 'http://far.test' } }]
users: [{ name: u, user: { token: t } }]
contexts: [{ name: x, context: { cluster: c, user: u } }]
current-context: x`
const SEEN = { kind: 'seen' }

export function kubernetesCredentials(cluster: () => ApiServer): void {
  describe('credentials', () => {
    afterEach(() => {
      vi.unstubAllEnvs()
    })

    it('from a token file are read again when the server rejects them', async () => {
      const { folder, adminToken } = cluster()
      const home = await mkdtemp(join(folder, 'token-file-'))
      await writeFile(join(home, 'token'), 'rotated-away\n')
      const kubeconfig = await writeKubeconfig(cluster(), home, { tokenFile: 'token' })
      await using kubernetes = connectBy(kubeconfig)
      const before = await kubernetes.list(NAMESPACES, unhurried)
      expect(before).toMatchObject({ kind: 'blind', reason: { code: 'unauthenticated' } })
      await writeFile(join(home, 'token'), `${adminToken}\n`)
      expect(await kubernetes.list(NAMESPACES, unhurried)).toMatchObject(SEEN)
    })

    it('from an exec plugin are requested once, and again after a rejection', async () => {
      const { folder, adminToken } = cluster()
      const home = await mkdtemp(join(folder, 'exec-'))
      await writeFile(join(home, 'token'), 'rotated-away')
      const kubeconfig = await writeKubeconfig(cluster(), home, { exec: await writePlugin(home) })
      const runs = async (): Promise<number> => (await readFile(join(home, 'runs'), 'utf8')).length
      await using kubernetes = connectBy(kubeconfig)
      await kubernetes.access(unhurried)
      await kubernetes.access(unhurried)
      expect(await runs()).toBe(1)
      await writeFile(join(home, 'token'), adminToken)
      const lists = await Promise.all([1, 2, 3].map(() => kubernetes.list(NAMESPACES, unhurried)))
      expect(lists).toMatchObject([SEEN, SEEN, SEEN])
      expect(await runs()).toBe(2)
    })

    it('from an exec plugin that fails make reads blind, without its output', async () => {
      const home = await mkdtemp(join(cluster().folder, 'exec-'))
      const plugin = await writePlugin(home, 'echo token-in-the-error >&2; exit 3')
      await using kubernetes = connectBy(await writeKubeconfig(cluster(), home, { exec: plugin }))
      const listed = await kubernetes.list(NAMESPACES, unhurried)
      expect(listed).toMatchObject({ kind: 'blind', reason: { code: 'unauthenticated' } })
      expect(JSON.stringify(listed)).not.toContain('token-in-the-error')
    })

    it('inside a cluster are the mounted token and authority, and the token is read again', async () => {
      const { folder, adminToken, port, certificateAuthority } = cluster()
      const root = await mkdtemp(join(folder, 'pod-'))
      const account = join(root, 'var/run/secrets/kubernetes.io/serviceaccount')
      await mkdir(account, { recursive: true })
      await writeFile(join(account, 'ca.crt'), certificateAuthority)
      await writeFile(join(account, 'namespace'), 'runners')
      await writeFile(join(account, 'token'), 'rotated-away')
      vi.stubEnv('KUBERNETES_SERVICE_HOST', '127.0.0.1')
      vi.stubEnv('KUBERNETES_SERVICE_PORT', String(port))
      await using kubernetes = connectWith(loadCredentials({ kind: 'in-cluster', root }))
      expect(await kubernetes.access(unhurried)).toMatchObject({ value: { namespace: 'runners' } })
      await writeFile(join(account, 'token'), adminToken)
      expect(await kubernetes.list(NAMESPACES, unhurried)).toMatchObject(SEEN)
    })

    it('of a client certificate are sent to the server', async () => {
      const { folder } = cluster()
      const certificate = join(folder, 'certificates', 'apiserver.crt')
      const key = join(folder, 'certificates', 'apiserver.key')
      await using server = await startCertificateServer(certificate, key)
      const home = await mkdtemp(join(folder, 'certificate-'))
      const user = { 'client-certificate': certificate, 'client-key': key }
      await using kubernetes = connectBy(await writeKubeconfig({ ...cluster(), url: server.url }, home, user))
      expect(await kubernetes.raw('/', unhurried)).toMatchObject({ value: { text: server.fingerprint } })
    })

    it('use the proxy that the kubeconfig names', async () => {
      const home = await mkdtemp(join(cluster().folder, 'proxy-'))
      await using proxy = await openConnectProxy()
      const user = { token: cluster().adminToken }
      await using kubernetes = connectBy(await writeKubeconfig(cluster(), home, user, { 'proxy-url': proxy.url }))
      expect(await kubernetes.list(NAMESPACES, unhurried)).toMatchObject(SEEN)
      expect(proxy.asked).toEqual([`127.0.0.1:${cluster().port}`])
    })

    it('are merged from several files as kubectl does, with the requested context', async () => {
      const { kubeconfig } = cluster()
      const powerless = await cluster().kubeconfigFor('powerless')
      const paths = ['/absent/config', kubeconfig, powerless]
      await using first = connectWith(loadCredentials({ kind: 'files', paths }))
      expect(await first.list(NAMESPACES, unhurried)).toMatchObject(SEEN)
      await using absent = connectWith(loadCredentials({ kind: 'files', paths: [kubeconfig], context: 'absent' }))
      const blind = {
        kind: 'blind',
        reason: { code: 'unauthenticated', detail: expect.stringContaining('absent') as string },
      }
      expect(await absent.list(NAMESPACES, unhurried)).toMatchObject(blind)
    })

    it.each([
      ['is not there', null],
      ['is no YAML', '{{{'],
      ['is empty', ''],
      ['has no server', 'clusters: [{name: a, cluster: {}}]'],
      ['is for a far server without TLS', PLAIN],
    ])('from a kubeconfig that %s leave us blind', async (_, content) => {
      const path = join(await mkdtemp(join(cluster().folder, 'broken-')), 'config')
      if (content !== null) await writeFile(path, content)
      await using kubernetes = connectBy(path)
      const blind = { kind: 'blind', reason: { code: 'unauthenticated' } }
      expect(await kubernetes.list(NAMESPACES, unhurried)).toMatchObject(blind)
      expect(await kubernetes.access(unhurried)).toMatchObject(blind)
    })

    it('do not trust a server whose certificate is not from the named authority', async () => {
      const home = await mkdtemp(join(cluster().folder, 'authority-'))
      const user = { token: cluster().adminToken }
      const without = { 'certificate-authority': undefined }
      await using kubernetes = connectBy(await writeKubeconfig(cluster(), home, user, without))
      const untrusted = {
        code: 'unreachable',
        detail: expect.stringContaining('TLS: the certificate is not trusted') as string,
      }
      expect(await kubernetes.list(NAMESPACES, unhurried)).toMatchObject({ kind: 'blind', reason: untrusted })
    })
  })
}

async function writePlugin(home: string, script?: string): Promise<object> {
  const path = join(home, 'plugin')
  const credential = '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"%s"}}'
  const answer = `printf x >> ${home}/runs; printf '${credential}' "$(cat ${home}/token)"`
  await writeFile(path, `#!/bin/sh\n${script ?? answer}\n`)
  await chmod(path, 0o755)
  return { apiVersion: 'client.authentication.k8s.io/v1', command: path, interactiveMode: 'Never' }
}

async function writeKubeconfig(
  { url, certificateAuthorityFile }: ApiServer,
  home: string,
  user: object,
  more: object = {},
): Promise<string> {
  const path = join(home, 'config')
  const cluster = { server: url, 'certificate-authority': certificateAuthorityFile, ...more }
  const config = {
    clusters: [{ name: 'c', cluster }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  }
  // JSON is YAML.
  await writeFile(path, JSON.stringify(config))
  return path
}
