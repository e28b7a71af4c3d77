import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { redact } from '#/adapters/redaction/redact.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const HASH = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'
const SHA1 = 'a94a8fe5ccb19ba61c4c0873d391e987982fbbd3'
const UUID = '5a46ab77-4782-4323-9774-7d3eb770f796'
const BASE64 = '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='

describe('what a reader of the evidence needs', () => {
  it.each([
    `cache-key=sha256:${HASH}`,
    `cache-key=sha256-${HASH}`,
    `cacheKey: ${HASH}`,
    `CACHE_KEY=${HASH}`,
    `key=${HASH} key: ${SHA1} key="${UUID}"`,
    `Cache restored from key: Linux-node-${HASH}`,
    `restore-keys: Linux-node-${SHA1}`,
    `"integrity": "sha512-${BASE64.repeat(2)}PKEY==",`,
    `golang.org/x/net v0.1.0 h1:${BASE64}`,
    `The key fingerprint is: SHA256:${BASE64.slice(0, 43)} runner@host`,
    `gpg: using RSA key ${SHA1.toUpperCase()}`,
    'gpg: using RSA key EAAC2813063F38118300CE7549A4F5D9B307C1E9',
    `"integrity": "sha512-${'aB3d'.repeat(13)}+ARmk/BGfOO${'aB3d'.repeat(5)}==",`,
    `commit ${SHA1}\nindex ${SHA1.slice(0, 7)}..${SHA1.slice(7, 14)} 100644`,
    `imageID: docker-pullable://registry.example.com/a@sha256:${HASH}`,
    `containerID: containerd://${HASH}`,
    `/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod${UUID.replaceAll('-', '_')}.slice/cri-containerd-${HASH}.scope`,
    `(UniqueName: "kubernetes.io/projected/${UUID}-kube-api-access-x7k2p") pod "arc-linux-x7k2p-runner-abcde"`,
    `resourceVersion: "88310160420" uid: ${UUID}`,
    'Code: 48 89 e5 41 57 41 56 41 55 41 54 53 48 83 ec 18 RIP: 0010:native_safe_halt+0xe/0x10',
    'RAX: 0000000000000000 RBX: ffff8881003f0000 RCX: ffffffff81a2b3c4',
    'usage: max_tokens=4096 prompt_tokens=512 total_tokens: 4608',
    '--- PASS: TestTokenAuthenticator/expired_token (0.00s)',
    'Unexpected token: } in JSON at position 7',
    'token: expired, password: required, secret: not found',
    'author=someone authority=example.com passed=12 keyboard=us',
    'Couldn\'t get secret arc-runners/github-app-key: secret "github-app-key" not found',
    `JTI=${UUID} credential-id`,
    'password = reader.readPassword() // token = this.token',
  ])('stays: %s', (text) => {
    expect(redact(text)).toBe(text)
  })

  it.each([
    'kubectl create secret docker-registry NAME --docker-server=… --docker-username=… --docker-password=…',
    'signalbox serve --token-file /etc/token; export API_TOKEN=$TOKEN; curl -H "Authorization: Bearer $TOKEN"',
    'helm install x --set agent.token=<TOKEN> --set password="${PASSWORD}"',
    '--password string   the password; --token TOKEN_FILE',
  ])('stays in advice: %s', (text) => {
    expect(redact(text)).toBe(text)
  })

  it('stays in every page of our documentation', () => {
    const pages = globSync('docs/**/*.md', { cwd: ROOT })
    expect(pages.length).toBeGreaterThan(100)
    const changed = pages.flatMap((page) => {
      const lines = readFileSync(resolve(ROOT, page), 'utf8').split('\n')
      return lines.flatMap((line, index) => (redact(line) === line ? [] : [`${page}:${index + 1}: ${redact(line)}`]))
    })
    expect(changed).toEqual([])
  })
})

const BODY = 'MIIEpAIBAAKCAQEA7vXq3cKpZ0l1yHn5bW9dR2sT8uVwXyZaBcDeFgHiJkLmNoPq'

describe('a key over several lines', () => {
  it.each([
    ['nothing', () => ''],
    ['what the CRI writes', () => '2026-11-15T20:00:00.000000000Z stdout F '],
    ['what kubectl --prefix writes', () => '[pod/a/runner] '],
    ['what buildkit writes', (line: number) => `#12 0.${line}45 `],
    ['what docker compose writes', () => 'app-1  | '],
    ['what syslog writes', (line: number) => `Nov 15 20:00:0${line} node-1 app[7]: `],
    ['what maven writes', () => '[INFO] '],
  ])('is hidden behind %s', (_, before) => {
    for (const kind of ['RSA PRIVATE KEY', 'OPENSSH PRIVATE KEY', 'PGP PRIVATE KEY BLOCK']) {
      const key = [`-----BEGIN ${kind}-----`, BODY, BODY, 'AbCdEfGhIjKl==', `-----END ${kind}-----`]
      const text = ['start', ...key, 'a later line'].map((line, index) => `${before(index)}${line}`).join('\n')
      const redacted = redact(text)
      expect(redacted).not.toMatch(/MIIE|AbCd/)
      expect(redacted.split('\n')).toHaveLength(7)
      expect(redacted.endsWith(`${before(6)}a later line`)).toBe(true)
      expect(redact(redacted)).toBe(redacted)
    }
  })
})
