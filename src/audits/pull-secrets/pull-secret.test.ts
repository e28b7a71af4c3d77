import { createHash } from 'node:crypto'
import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { redactSecret } from '#/core/redaction/redaction-secret.ts'
import { compareCopies } from './compare-copies.ts'
import { coveringKeys, readPullSecret as readWith, listRegistries } from './pull-secret.ts'

const TYPE = 'kubernetes.io/dockerconfigjson'
const encode = (text: string): string => Buffer.from(text).toString('base64')
const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
const readPullSecret = (secret: Parameters<typeof readWith>[0]) => readWith(secret, digest)

type Entry = Readonly<Record<string, string>>

function buildSecret(auths: Readonly<Record<string, Entry>>, changes: object = {}) {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: 'arc-runners', name: 'pull' },
    type: TYPE,
    data: { '.dockerconfigjson': encode(JSON.stringify({ auths })) },
    ...changes,
  }
}

const collected = (auths: Readonly<Record<string, Entry>>) => redactSecret(buildSecret(auths), digest)
const A = { auth: encode('robot:a') }
const B = { auth: encode('robot:b') }
const none: ReadonlySet<string> = new Set()

describe('a Secret as a pull secret', () => {
  it.each([
    ['its type is not one that the kubelet reads', { type: 'Opaque' }, 'its type is Opaque'],
    ['it has no type', { type: undefined }, 'its type is Opaque'],
    ['its type has another key', { type: 'kubernetes.io/dockercfg' }, 'has no .dockercfg'],
    ['its document is not JSON', { data: { '.dockerconfigjson': encode('{') } }, 'is not a JSON document'],
    ['its document is empty', { data: { '.dockerconfigjson': '' } }, 'has no .dockerconfigjson'],
  ])('is ignored if %s', (_, changes, flaw) => {
    expect(readPullSecret(buildSecret({ 'ghcr.io': A }, changes)).flaw).toContain(flaw)
  })

  it('is read like the kubelet reads it, in both formats and as collect wrote it', () => {
    const legacy = { type: 'kubernetes.io/dockercfg', data: { '.dockercfg': encode(JSON.stringify({ 'ghcr.io': A })) } }
    for (const secret of [buildSecret({ 'ghcr.io': A }), buildSecret({}, legacy), collected({ 'ghcr.io': A })]) {
      expect([readPullSecret(secret).flaw, listRegistries(readPullSecret(secret))]).toEqual([null, ['ghcr.io']])
    }
  })

  it('holds no credential after it is read', () => {
    const read = inspect(readPullSecret(buildSecret({ 'ghcr.io': A })), { depth: 9 })
    expect(read).toContain('ghcr.io')
    expect(read).not.toContain('robot')
    expect(read).not.toContain(encode('robot:a'))
  })

  it("uses the kubelet's fallback entry for images of Docker Hub", () => {
    const hub = readPullSecret(buildSecret({ 'https://index.docker.io/v1/': A }))
    expect(coveringKeys(hub, 'docker.io/library/busybox')).toEqual(['index.docker.io'])
    expect(coveringKeys(hub, 'ghcr.io/acme/runner')).toEqual([])
    // The kubelet does not know this name.
    expect(coveringKeys(readPullSecret(buildSecret({ 'registry-1.docker.io': A })), 'docker.io/acme/x')).toEqual([])
  })
})

describe('a copy', () => {
  const compare = (a: object, b: object, repositories = none) =>
    compareCopies(readPullSecret(a as never), readPullSecret(b as never), repositories)

  it.each([
    ['auth and the pair', { 'ghcr.io': A }, { 'ghcr.io': { username: 'robot', password: 'a' } }],
    ['a stale pair beside auth', { 'ghcr.io': A }, { 'ghcr.io': { ...A, username: 'robot', password: 'old' } }],
    ['scheme and version', { 'ghcr.io': A }, { 'https://ghcr.io/v2/': A }],
    ['names of Docker Hub', { 'docker.io': A }, { 'https://index.docker.io/v1/': A }],
    ['another name of Docker Hub', { 'docker.io': A }, { 'registry-1.docker.io': A }],
    ['an e-mail address', { 'ghcr.io': A }, { 'ghcr.io': { ...A, email: 'x@example.com' } }],
  ])('is the same by %s', (_, a, b) => {
    for (const [left, right] of [
      [buildSecret(a), buildSecret(b)],
      [collected(a), collected(b)],
      [buildSecret(a), collected(b)],
      [collected(a), buildSecret(b)],
    ] as const) {
      expect(compare(left, right).kind).toBe('same')
    }
  })

  it.each([
    ['another credential', { 'ghcr.io': A }, { 'ghcr.io': B }, ['ghcr.io']],
    ['a registry less', { 'ghcr.io': A, 'quay.io': A }, { 'ghcr.io': A }, ['quay.io']],
    ['a registry more', { 'ghcr.io': A }, { 'ghcr.io': A, 'quay.io': A }, ['quay.io']],
    ['another port', { 'r.dev:5000': A }, { 'r.dev:5001': A }, ['r.dev:5000', 'r.dev:5001']],
  ])('is different by %s', (_, a, b, registries) => {
    for (const [left, right] of [
      [buildSecret(a), buildSecret(b)],
      [collected(a), buildSecret(b)],
    ] as const) {
      expect(compare(left, right)).toEqual({ kind: 'different', registries })
    }
  })

  it('is judged by the registries that the fleet uses, and lists the others separately', () => {
    const used = new Set(['ghcr.io/actions/actions-runner'])
    const [a, b] = [buildSecret({ 'ghcr.io': A, 'quay.io': A }), buildSecret({ 'ghcr.io': A, 'quay.io': B })]
    expect(compare(a, b, used)).toEqual({ kind: 'same', registries: ['ghcr.io'], aside: ['quay.io'] })
    expect(compare(a, b, new Set(['quay.io/acme/runner']))).toEqual({ kind: 'different', registries: ['quay.io'] })
  })

  it('is judged by all of them if the fleet pulls from none', () => {
    const [a, b] = [buildSecret({ 'quay.io': A }), buildSecret({ 'quay.io': B })]
    expect(compare(a, b, new Set(['ghcr.io/x']))).toEqual({ kind: 'different', registries: ['quay.io'] })
  })

  it('may hold the credential of an image under a narrower name', () => {
    const used = new Set(['ghcr.io/acme/runner'])
    expect(compare(buildSecret({ 'ghcr.io': A }), buildSecret({ 'ghcr.io/acme': A }), used).kind).toBe('same')
    expect(compare(buildSecret({ 'ghcr.io': A }), buildSecret({ 'ghcr.io/other': A }), used).kind).toBe('different')
  })

  it('with only a digest of the whole is equal by that digest, or unknown', () => {
    const sealed = (text: string) =>
      buildSecret({}, { data: { '.dockerconfigjson': encode(`sha256:${digest(Buffer.from(text))}`) } })
    expect(compare(sealed('x'), sealed('x')).kind).toBe('same')
    expect(compare(sealed('x'), sealed('y')).kind).toBe('unknown')
    expect(compare(sealed('x'), buildSecret({ 'ghcr.io': A })).kind).toBe('unknown')
  })
})
