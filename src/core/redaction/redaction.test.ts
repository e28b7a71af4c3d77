import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createLineRedactor, redactJson, redactText } from './redaction.ts'
import { measureCpuMs } from '#test/core/cpu-time.ts'
import { draws } from '#test/tiers/long-run.ts'

const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
const text = (value: string): string => redactText(value, digest)
const json = (value: string): string => redactJson(value, digest)

const KEY_BODY = 'MIIEpAIBAAKCAQEA7vXq3cKpZ0l1yHn5bW9dR2sT8uVwXyZaBcDeFgHiJkLmNoPq'
const RANDOM = 'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hI6'
const JIT = `eyIucnVubmVyIjoi${'ZXlKaFoyVnVkRWxrSWpvaU1TSjk'.repeat(12)}==`

/** What must never be left, and how it looks where it is found. */
const SHAPES: readonly (readonly [name: string, secret: string, kind: string])[] = [
  ['an installation token', `ghs_${RANDOM}`, 'github-token'],
  ['a classic token', `ghp_${RANDOM}`, 'github-token'],
  ['an OAuth token', `gho_${RANDOM}`, 'github-token'],
  ['a fine-grained token', `github_pat_11ABCDEFG0${RANDOM}_xyz123`, 'github-token'],
  ['a GitLab token', `glpat-${RANDOM}`, 'gitlab-token'],
  ['a GitLab runner token', `glrt-t1_${RANDOM}`, 'gitlab-token'],
  ['a registration token of GitLab', `GR1348941${RANDOM}`, 'gitlab-token'],
  ['a JWT', 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.c2lnbmF0dXJl', 'jwt'],
  ['an access key of AWS', 'AKIAIOSFODNN7EXAMPLE', 'aws-key'],
  ['a JIT configuration', JIT, 'jit-config'],
  ['a token of Slack', `xoxb-123456789012-${RANDOM}`, 'credential'],
  ['a token of npm', `npm_${RANDOM}`, 'credential'],
  ['a token of Vault', `hvs.${RANDOM}`, 'credential'],
  ['a key of Google', `AIza${RANDOM.slice(1)}`, 'credential'],
]

/** A secret that is one by its surroundings: `before` and `after` stay. */
const IN_CONTEXT: readonly (readonly [name: string, before: string, secret: string, after: string])[] = [
  ['a bearer header', 'Authorization: Bearer ', 'opaque-0123456789', ''],
  ['a bearer word', 'sent bearer ', 'opaque-0123456789abcdef', ' to it'],
  ['a basic header', '> Authorization: Basic ', 'dXNlcjpodW50ZXIy', ''],
  ['a header in Go', '"Authorization":["Bearer ', 'opaque-0123456789', '"]'],
  ['a URL', 'cloning https://', 'x-access-token:hunter2', '@example.com/a/b'],
  ['a URL with an at sign in it', 'cloning https://', 'someone:hun@ter2', '@example.com/a/b'],
  ['an environment variable', 'running with NPM_TOKEN=', 'hunter2', ' npm ci'],
  ['a dump of the environment', 'DEPLOY_PASSPHRASE=', 'correct horse battery staple', ''],
  ['an exported variable', '2026-11-15T20:00:00.000000000Z export API_KEY=', 'a b"c', ''],
  ['a quoted variable', 'env DB_PASSWORD="', 'it is \\" quoted', '" run'],
  ['a variable with an open quote', 'env DB_PASSWORD="', 'hunter2', ''],
  ['a variable in a job log', '  AWS_SECRET_ACCESS_KEY: ', 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY', ''],
  ['an option', ' 12 1 90 ./config.sh --unattended --token ', 'AABBCCDD', ' --url https://example.com'],
  ['an option with a sign', 'tool --password=', 'hunter2', ' --verbose'],
  ['the JIT configuration as an option', './run.sh --jitconfig ', 'c29tZXRoaW5n', ''],
  ['the JIT configuration as a variable', 'ACTIONS_RUNNER_INPUT_JITCONFIG=', 'c29tZXRoaW5n', ''],
  ['a response that is cut', '{"runner":{"id":3},"encoded_jit_config":"', 'c29tZXRoaW5n', ''],
  ['a signed URL', 'GET https://example.com/log?se=2026&sig=', 'abc%2Bdef', '&sp=r'],
  ['a query', 'GET /hook?token=', 'hunter2', ''],
  ['a GitLab configuration', '  token = "', 'hunter2', '"'],
  ['a password in YAML', '  password: ', 'hunter2-and-more', ''],
  ['a header of its own', "curl -H 'X-Api-Key: ", 'hunter2-and-more', "' https://example.com"],
  ['what kubectl describes', '      GITHUB_TOKEN:  ', 'hunter2', ''],
  ['a key in lower case', 'with api_key=', 'hunter2', ' in it'],
  ['a connection string', 'AccountName=x;AccountKey=', 'hunter2+and/more==', ''],
  ['a cookie', 'Cookie: ', 'session=hunter2hunter2; more=hunter2', ''],
  ['a login of curl', 'curl -u admin:', 'hunter2', ' https://example.com'],
  ['a webhook', 'POST https://hooks.slack.com/', 'services/T00000000/B00000000/hunter2', ' 200'],
  ['a webhook in escapes', String.raw`"https:\/\/hooks.slack.com\/`, String.raw`services\/T0\/B0\/hunter2hunter2`, '"'],
  ['a webhook of a chat', 'POST https://discord.com/api/webhooks/', `123456789012345678/${RANDOM}`, ' 204'],
  ['a login of netrc', 'machine example.com login someone password ', 'hunter2', ' # mine'],
  ['a URL with a token of no shape', 'https://', '0123456789abcdef0123456789abcdef01234567', '@example.com/a/b'],
  ['a token in base64', 'header ', Buffer.from(`x-access-token:ghs_${RANDOM}`).toString('base64'), ' sent'],
  ['a login of a registry in base64', 'x=', Buffer.from('{"auths":{"r.io":{"auth":"abc"}}}').toString('base64'), ''],
  ['a URL with a token alone', 'https://', `ghs_${RANDOM}`, '@example.com/a/b'],
]

describe('redaction', () => {
  it.each(SHAPES)('replaces %s and says what it was', (_, secret, kind) => {
    expect(text(`before ${secret} after`)).toBe(`before ‹redacted:${kind}› after`)
  })

  it.each(IN_CONTEXT)('replaces the secret in %s and keeps what is around it', (_, before, secret, after) => {
    const redacted = text(`${before}${secret}${after}`)
    expect(redacted).toMatch(/‹redacted:[a-z0-9-]+›/)
    expect(redacted).not.toContain(secret)
    expect(redacted.startsWith(before)).toBe(true)
    expect(redacted.endsWith(after)).toBe(true)
    expect(text(redacted)).toBe(redacted)
  })

  it.each([
    ['a token', 'using ', `ghs_${RANDOM.slice(0, 12)}`],
    ['a password in a URL', 'cloning https://', 'someone:hunter2hunter2'],
    ['a login in base64', 'x=', Buffer.from('{"auths":{"r.io":{"auth":"abc"}}}').toString('base64').slice(0, -3)],
  ])('replaces %s that is truncated', (_, before, secret) => {
    expect(text(`${before}${secret}`)).toMatch(new RegExp(`^${before}‹redacted:[a-z0-9-]+›$`))
  })

  it('replaces a private key over several lines, with the time stamps that kubectl adds', () => {
    const stamp = '2026-11-15T20:00:00.000000000Z '
    const lines = ['a', '-----BEGIN RSA PRIVATE KEY-----', KEY_BODY, 'AbC=', '-----END RSA PRIVATE KEY-----', 'b']
    const redacted = text(lines.map((line) => `${stamp}${line}`).join('\n'))
    expect(redacted).not.toContain(KEY_BODY)
    expect(redacted).not.toContain('AbC=')
    expect(redacted.split('\n')).toHaveLength(lines.length)
    expect(redacted.split('\n').at(-1)).toBe(`${stamp}b`)
  })

  it('stops hiding when ordinary lines follow a private key without an end', () => {
    const redacted = text(`-----BEGIN PRIVATE KEY-----\n${KEY_BODY}\nthe next thing happened`)
    expect(redacted.split('\n')).toEqual([
      '‹redacted:private-key›',
      '‹redacted:private-key›',
      'the next thing happened',
    ])
  })

  it.each([
    ['behind the header of klog', 'I1115 20:00:00.000000      12 main.go:7] '],
    ["behind journald's", '2026-11-15T20:00:00+0000 node app[7]: '],
  ])('replaces a private key %s, and when other lines come in between', (_, header) => {
    const key = ['-----BEGIN EC PRIVATE KEY-----', KEY_BODY, KEY_BODY, 'AbCdEfGhIjKl==', '-----END EC PRIVATE KEY-----']
    const lines = [key[0], 'somebody else says this', ...key.slice(1), 'done'].map((line) => `${header}${line}`)
    const redacted = text(lines.join('\n')).split('\n')
    expect(redacted[1]).toBe(lines[1])
    expect(redacted.at(-1)).toBe(lines.at(-1))
    for (const line of redacted.slice(2, -1)) expect(line).toBe(`${header}‹redacted:private-key›`)
  })

  it('replaces the secret half of an AWS key pair, which has no recognisable form', () => {
    const pair = 'AKIAIOSFODNN7EXAMPLE, wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'
    expect(text(pair)).toBe('‹redacted:aws-key›, ‹redacted:aws-key›')
  })

  it('replaces the short end of base64 that was wrapped', () => {
    expect(text(`${KEY_BODY}\nAbCdEf==\ndone`)).toBe('‹redacted:base64›\n‹redacted:base64›\ndone')
  })

  it('replaces lines of base64 whose beginning is elsewhere, but not digests in hexadecimal', () => {
    const sha = digest(new Uint8Array())
    expect(text(`${KEY_BODY}\n${sha}`)).toBe(`‹redacted:base64›\n${sha}`)
  })

  it.each([
    ['with a header on its first line only', ''],
    ['with a header on every line', '[WORKER 2026-11-15 20:00:00Z INFO Worker] '],
  ])("hides the runner's job message %s and nothing after it", (_, header) => {
    const message = JSON.stringify({ variables: { a: { value: 'plain text of the customer' } }, steps: [] }, null, 2)
    const last = '[WORKER 2026-11-15 20:00:00Z INFO JobRunner] Job ID 7'
    const log = [
      '[WORKER 2026-11-15 20:00:00Z INFO Worker] Job message:',
      ...` ${message}`.split('\n').map((line) => `${header}${line}`),
      last,
    ]
    const redacted = text(log.join('\n'))
    expect(redacted).not.toContain('customer')
    expect(redacted.split('\n').at(-1)).toBe(last)
  })

  it('hides a job message on one line, and keeps the line about a job message that is gone', () => {
    expect(text('Job message: {"steps":[{"run":"customer"}]}')).toBe('Job message: ‹redacted:job-message›')
    const gone = "Job message not found '7b'. Skipping message Job."
    expect(text(gone)).toBe(gone)
  })

  it.each([
    'Bearer authentication is not configured',
    'WWW-Authenticate: Bearer realm="https://auth.example.com/token",service="registry"',
    'MountVolume.SetUp failed for volume "kube-api-access-x" : secret "gh-pat" not found',
    'request POST https://api.github.com/orgs/o/actions/runners/registration-token failed(status="403 Forbidden")',
    'secretName="listener-config" key="arc-runners/deploy-lx56p" token cache miss',
    'image sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    'ssh://git@example.com:22/a/b and mail to someone@example.com: read it',
    'dial https://api.example.com:443',
    'GET http://[2001:db8::1]:8080',
    'image docker://sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    'GITHUB_TOKEN: ***',
    'LISTENER_KEY_FILE=/etc/listener/key.pem TOKEN_PATH=/var/run/token USE_TOKEN=true',
    'authorization-mode=Node,RBAC',
    'Cache restored from key: Linux-build-0123456789abcdef',
    'invalid bearer token: it has expired, token: expired',
    'volumes from secret: registry-login-2026 secret="arc/registry-login-7"',
    'docker run -u 1000:1000 --user 0:0 image',
    '/home/runner/work/MyProject/MyProject/node/modules/SomethingLongEnoughToBeBase64',
    '--service-account-key-file /etc/sa.pub --token-auth-file=/etc/tokens',
  ])('leaves ordinary text as it is: %s', (line) => {
    expect(text(line)).toBe(line)
  })

  const surroundings = fc.string({ unit: 'binary', maxLength: 40 })
  const shape = fc.constantFrom(...SHAPES.map(([, secret]) => secret))

  it('leaves no planted secret in any position of any text', { timeout: 180_000 }, () => {
    fc.assert(
      fc.property(surroundings, shape, surroundings, (before, secret, after) => {
        expect(text(`${before}${secret}${after}`)).not.toContain(secret)
      }),
      { numRuns: draws(2000) },
    )
  })

  it(
    'leaves no planted secret in any string, key or nested document of any JSON, and the JSON stays JSON',
    { timeout: 180_000 },
    () => {
      fc.assert(
        fc.property(fc.jsonValue(), surroundings, shape, fc.nat(3), (value, around, secret, depth) => {
          let planted: unknown = `${around}${secret}${around}`
          for (let level = 0; level < depth; level += 1) planted = JSON.stringify({ around, list: [planted, value] })
          const document = { value, [around]: planted, [`${around}${secret}`]: [1, planted] }
          const redacted = json(JSON.stringify(document))
          expect(redacted).not.toContain(secret)
          expect(() => JSON.parse(redacted) as unknown).not.toThrow()
        }),
        { numRuns: draws(1000) },
      )
    },
  )

  it('changes nothing more when it is applied again', { timeout: 180_000 }, () => {
    const piece = fc.oneof(
      surroundings,
      shape,
      fc.constantFrom(...IN_CONTEXT.map(([, before, secret, after]) => `${before}${secret}${after}`)),
      fc.constantFrom('\n', ' ', '"', '\\', '=', ': ', '-----BEGIN PRIVATE KEY-----', 'Job message:', KEY_BODY),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const once = text(pieces.join(''))
        expect(text(once)).toBe(once)
        const document = json(JSON.stringify({ a: pieces.join(''), b: pieces }))
        expect(json(document)).toBe(document)
      }),
      { numRuns: draws(3000) },
    )
  })

  it('takes time proportional to the length of the line', { timeout: 180_000 }, () => {
    const redactLine = createLineRedactor(digest)
    const hostile = [
      'token',
      'Bearer ',
      '://a:',
      'eyJ-',
      '"token":"',
      'A_TOKEN=',
      "key='",
      '--token ',
      '@',
      '{',
      '"',
      ' ',
    ]
    hostile.push(
      '\\',
      '\\"',
      '[1',
      '}',
      '-----BEGIN PRIVATE KEY-----',
      'PRIVATE KEY-----',
      'Job message:',
      'A+/a1',
      '&sig=',
    )
    hostile.push(
      '-----BEGIN ',
      'authorization: ',
      'gh',
      'ghs_',
      'glpat-',
      '2026-11-15T20:00:00Z ',
      '[A 2026-11-15 20:00:00Z x y',
      'AKIAIOSFODNN7EXAMPLE ',
      ' -u a:',
      'cookie: a=',
      'xoxb-',
      'dG9rZW49YQ',
    )
    const measure = (piece: string, read: () => void): void => {
      expect({ piece, isFast: measureCpuMs(read) < 10_000 }).toEqual({ piece, isFast: true })
    }
    for (const piece of hostile) measure(piece, () => redactLine(piece.repeat(Math.ceil(200_000 / piece.length))))
    for (const blank of [' ', '\t', '\r', '\n']) {
      measure(blank, () => text(`-----BEGIN PRIVATE KEY-----\n${blank.repeat(200_000)}|`))
      measure(blank, () => json(`{"token":"abc",${blank.repeat(200_000)}"b":1}`))
    }
  })
})
