import { describe, expect, it } from 'vitest'
import { measureCpuMs } from '#test/core/cpu-time.ts'
import { globMatches } from './glob.ts'
import { covers, registryKey, registryName } from './registry-key.ts'

describe('the key of a credential', () => {
  it.each([
    ['ghcr.io', 'ghcr.io'],
    ['https://ghcr.io', 'ghcr.io'],
    ['http://ghcr.io/', 'ghcr.io'],
    ['https://index.docker.io/v1/', 'index.docker.io'],
    ['https://registry.example.com/v2/', 'registry.example.com'],
    ['registry.example.com/v2/team', 'registry.example.com/team'],
    // Without a trailing slash the kubelet treats it as a path.
    ['registry.example.com/v2', 'registry.example.com/v2'],
    ['registry.example.com:5000/ci', 'registry.example.com:5000/ci'],
  ])('%s is read as %s', (location, key) => {
    expect(registryKey(location)).toBe(key)
  })

  it.each([
    ['docker.io', 'docker.io'],
    ['index.docker.io', 'docker.io'],
    ['registry-1.docker.io', 'docker.io'],
    ['index.docker.io/acme/', 'docker.io/acme'],
    ['notdocker.io', 'notdocker.io'],
  ])('%s is called %s', (key, name) => {
    expect(registryName(key)).toBe(name)
  })
})

describe('an entry covers an image by the kubelet’s rules', () => {
  it.each([
    ['the same host', 'ghcr.io', 'ghcr.io/acme/runner', true],
    ['another host', 'ghcr.io', 'quay.io/acme/runner', false],
    ['a host that only begins so', 'ghcr.io', 'ghcr.io.example.com/acme', false],
    ['the same port', 'r.example.com:5000', 'r.example.com:5000/ci/runner', true],
    ['another port', 'r.example.com:5001', 'r.example.com:5000/ci/runner', false],
    ['no port for one with a port', 'r.example.com', 'r.example.com:5000/ci/runner', false],
    ['a port for one without', 'r.example.com:443', 'r.example.com/ci/runner', false],
    ['a glob for one part', '*.example.com', 'r.example.com/ci', true],
    ['a glob for two parts', '*.example.com', 'eu.r.example.com/ci', false],
    ['a glob for the domain itself', '*.example.com', 'example.com/ci', false],
    ['a glob with a port', '*.example.com:5000', 'r.example.com:5000/ci', true],
    ['a glob inside of a part', 'r-*.example.com', 'r-eu.example.com/ci', true],
    ['a path above', 'ghcr.io/acme', 'ghcr.io/acme/runner', true],
    ['a path beside', 'ghcr.io/other', 'ghcr.io/acme/runner', false],
    ['a path below', 'ghcr.io/acme/runner/x', 'ghcr.io/acme/runner', false],
    // The kubelet compares paths as plain text.
    ['a path that is the beginning of a word', 'ghcr.io/ac', 'ghcr.io/acme/runner', true],
    ['a glob does not reach into the path', 'ghcr.io/*', 'ghcr.io/acme/runner', false],
  ])('%s: %s for %s', (_, key, repository, isCovered) => {
    expect(covers(key, repository)).toBe(isCovered)
  })
})

describe('a glob', () => {
  it.each([
    ['*', '', true],
    ['*', 'abc', true],
    ['a*c', 'abbbc', true],
    ['a*c', 'abbb', false],
    ['a?c', 'abc', true],
    ['a?c', 'ac', false],
    ['*a*b', 'xxaxxab', true],
    ['[a-c]x', 'bx', true],
    ['[^a-c]x', 'bx', false],
    ['[abc', 'a', false],
    ['abc', 'abcd', false],
  ])('%s against %s', (pattern, text, isMatching) => {
    expect(globMatches(pattern, text)).toBe(isMatching)
  })

  it('takes no time for many stars', () => {
    const took = measureCpuMs(() => expect(globMatches('*a'.repeat(200), `${'a'.repeat(5_000)}b`)).toBe(false))
    expect(took).toBeLessThan(1_000)
  })
})
