import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { redactJson } from './redaction.ts'

const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
const base64 = (value: string): string => Buffer.from(value).toString('base64')
const sha = (value: string): string => `sha256:${digest(Buffer.from(value))}`

function redact(value: unknown): unknown {
  return JSON.parse(redactJson(JSON.stringify(value), digest))
}

describe('redaction of documents', () => {
  it('hides the values of environment variables by their names, in either order of the fields', () => {
    const env = [
      { name: 'NPM_TOKEN', value: 'hunter2' },
      { value: 'hunter2', name: 'API_KEY' },
      { name: 'ACTIONS_RUNNER_INPUT_JITCONFIG', value: 'hunter2' },
      { name: 'TOKEN_PATH', value: '/var/run/token' },
      { name: 'RUNNER_VERSION', value: '2.335.1' },
      { name: 'FROM_ELSEWHERE_TOKEN', value: '$(NPM_TOKEN)' },
    ]
    expect(redact({ env })).toEqual({
      env: [
        { name: 'NPM_TOKEN', value: '‹redacted:credential›' },
        { name: 'API_KEY', value: '‹redacted:credential›' },
        { name: 'ACTIONS_RUNNER_INPUT_JITCONFIG', value: '‹redacted:jit-config›' },
        ...env.slice(3),
      ],
    })
  })

  it('hides the same inside an annotation that holds a document as text', () => {
    const applied = JSON.stringify({ spec: { env: [{ name: 'DB_PASSWORD', value: 'a "quoted"\nsecret' }] } })
    const pod = { metadata: { annotations: { 'kubectl.kubernetes.io/last-applied-configuration': applied } } }
    const redacted = JSON.stringify(redact(pod))
    expect(redacted).not.toContain('quoted')
    expect(redacted).toContain('DB_PASSWORD')
  })

  it('hides the value of a secret key and keeps what only refers to a secret', () => {
    const kept = {
      secretName: 'listener-config',
      key: 'github_token',
      tlsPrivateKeyFile: '/etc/k',
      topologyKey: 'zone',
    }
    expect(
      redact({ ...kept, encoded_jit_config: 'abc', runnerJITConfig: 'abc', password: 'abc', MY_SECRET: 'abc' }),
    ).toEqual({
      ...kept,
      encoded_jit_config: '‹redacted:jit-config›',
      runnerJITConfig: '‹redacted:jit-config›',
      password: '‹redacted:credential›',
      MY_SECRET: '‹redacted:credential›',
    })
  })

  it('hides the values of a header that is printed as an array', () => {
    expect(redact({ Authorization: ['Bearer abc'], Accept: ['text/html'] })).toEqual({
      Authorization: ['‹redacted:credential›'],
      Accept: ['text/html'],
    })
  })

  it('hides the word after an option that names a secret', () => {
    const args = ['./config.sh', '--token', 'hunter2', '--jitconfig', 'abc', '--token', '--url', 'https://example.com']
    expect(redact({ args })).toEqual({
      args: [
        './config.sh',
        '--token',
        '‹redacted:credential›',
        '--jitconfig',
        '‹redacted:jit-config›',
        ...args.slice(5),
      ],
    })
  })

  it('reads a message that journalctl printed as bytes', () => {
    const message = '\u001b[31mGET https://someone:hunter2@example.com/\u001b[0m'
    const bytes = [...Buffer.from(message)]
    expect(redact({ MESSAGE: bytes })).toEqual({
      MESSAGE: '\u001b[31mGET https://‹redacted:url-credential›@example.com/\u001b[0m',
    })
    const plain = [...Buffer.from('nothing to hide')]
    expect(redact({ MESSAGE: plain })).toEqual({ MESSAGE: plain })
  })

  it('keeps the layout of the document, and every byte of one that holds no secret', () => {
    const clean = '{ "a" : 18446744073709551615,\n  "b": [1.0, "x"] }\n'
    expect(redactJson(clean, digest)).toBe(clean)
    expect(redactJson('{\n  "token": "abc",\n  "b": [\n    1\n  ]\n}\n', digest)).toBe(
      '{\n  "token": "‹redacted:credential›",\n  "b": [\n    1\n  ]\n}\n',
    )
  })

  it('handles a document that is deeper than any tool prints', () => {
    const deep = `${'['.repeat(100_000)}"ghs_aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hI6"${']'.repeat(100_000)}`
    expect(redactJson(deep, digest)).not.toContain('ghs_')
  })
})

describe('redaction of Secrets', () => {
  const login = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'pull' }, type: 'kubernetes.io/dockerconfigjson' }
  const auth = base64('robot:hunter2')

  it('writes the digest of each decoded value in its place', () => {
    const secret = { apiVersion: 'v1', kind: 'Secret', data: { a: base64('hunter2') }, stringData: { b: 'hunter2' } }
    expect(redact({ items: [secret] })).toEqual({
      items: [{ ...secret, data: { a: sha('hunter2') }, stringData: { b: sha('hunter2') } }],
    })
  })

  it('gives one credential one digest, however a registry login spells it', () => {
    const spellings = [
      { auth },
      { username: 'robot', password: 'hunter2' },
      { auth, username: 'robot', password: 'hunter2' },
    ]
    for (const entry of spellings) {
      const config = base64(JSON.stringify({ auths: { 'registry.example.com': entry } }))
      const redacted = redact({ ...login, data: { '.dockerconfigjson': config } }) as {
        metadata: { annotations: Record<string, string> }
      }
      expect(JSON.parse(redacted.metadata.annotations['signalbox.dev/registries'] ?? '')).toEqual({
        'registry.example.com': sha('robot:hunter2'),
      })
      expect(JSON.stringify(redacted)).not.toContain(auth)
    }
  })

  it("hides kubectl's copy of the whole Secret", () => {
    const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': '{"stringData":{"pin":"hunter2"}}' }
    const redacted = redact({ ...login, metadata: { name: 'pull', annotations } })
    expect(JSON.stringify(redacted)).not.toContain('hunter2')
  })

  it('finds Secrets in lists without a kind on the rows and in the bodies of audit events', () => {
    const body = { data: { pin: base64('hunter2') } }
    const list = redact({ kind: 'SecretList', apiVersion: 'v1', items: [body] })
    expect(list).toMatchObject({ items: [{ data: { pin: sha('hunter2') } }] })
    const event = { kind: 'Event', objectRef: { resource: 'secrets', name: 'x' }, requestObject: body }
    expect(redact(event)).toMatchObject({ requestObject: { data: { pin: sha('hunter2') } } })
  })

  it('leaves digests as they are, plain or in base64', () => {
    const secret = { apiVersion: 'v1', kind: 'Secret', data: { token: sha('x'), jitToken: base64(sha('y')) } }
    expect(redact(secret)).toEqual(secret)
  })

  it('hides a value that is not base64, and one that is not text', () => {
    const redacted = redact({ apiVersion: 'v1', kind: 'Secret', data: { a: 'hunter2!', b: { c: 'hunter2!' } } })
    expect(JSON.stringify(redacted)).not.toContain('hunter2')
  })
})
