import { describe, expect, it } from 'vitest'
import { containerEnv } from '#/core/fleet/runner-env.ts'
import { findService } from './cache-service.ts'
import { addressesIn, knownVariables, missingPartners, parseAddress } from './cache-variables.ts'
import { sha256 } from '#/runtime/sha256.ts'
import { isReachFailure, namesHost } from './reach-findings.ts'

const buildEnv = (values: Readonly<Record<string, string>>) =>
  containerEnv(
    { env: Object.entries(values).map(([name, value]) => ({ name, value })) },
    { namespace: 'ns', findSecret: () => null, digest: sha256 },
  )

describe('an address', () => {
  it.each([
    ['http://attic.nix-cache.svc:8080/main', 'attic.nix-cache.svc', 8080],
    ['https://Cache.Example.com', 'cache.example.com', 443],
    ['http://cache', 'cache', 80],
    ['grpcs://bazel.example.com', 'bazel.example.com', 443],
    ['grpc://bazel:9092', 'bazel', 9092],
    ['redis://:pw@redis.cache.svc/0', 'redis.cache.svc', 6379],
    ['minio:9000', 'minio', 9000],
  ])('%s', (text, host, port) => {
    expect(parseAddress(text)).toEqual({ host, port })
  })

  it.each(['main', '', 'file:///tmp/cache', 's3://bucket', '/tmp/cache', '$(SERVER)/x', 'remote:rw', '‹redacted:env›'])(
    'is not in %s',
    (text) => {
      expect(parseAddress(text)).toBeNull()
    },
  )
})

describe('cache variables', () => {
  it('are known by name', () => {
    const env = buildEnv({
      ATTIC_SERVER: 'x',
      SCCACHE_BUCKET: 'b',
      SCCACHE_DIR: '/tmp',
      TURBO_TEAM: 't',
      MY_CACHE: 'x',
      PATH: 'p',
    })
    expect(knownVariables(env)).toEqual(['ATTIC_SERVER', 'SCCACHE_BUCKET', 'TURBO_TEAM'])
  })

  it('are NIX_CONFIG only if it names a cache besides the public one', () => {
    expect(knownVariables(buildEnv({ NIX_CONFIG: 'experimental-features = flakes' }))).toEqual([])
    expect(knownVariables(buildEnv({ NIX_CONFIG: 'substituters = https://cache.nixos.org' }))).toEqual([])
    expect(knownVariables(buildEnv({ NIX_CONFIG: '# substituters = http://a:1' }))).toEqual([])
    expect(knownVariables(buildEnv({ NIX_CONFIG: 'x = y\nextra-substituters = http://a.b.svc:1/m' }))).toEqual([
      'NIX_CONFIG',
    ])
  })

  it('hold its address, declared ones included', () => {
    const env = buildEnv({
      ATTIC_SERVER: 'http://a:1',
      MY_SERVER: 'http://b:2',
      NIX_CONFIG: 'substituters = http://c:3 http://d:4',
    })
    expect(addressesIn(env, ['MY_SERVER', 'GONE']).map(({ host, port }) => `${host}:${port}`)).toEqual([
      'a:1',
      'b:2',
      'c:3',
      'd:4',
    ])
  })

  it('belong in pairs', () => {
    expect(missingPartners(buildEnv({ ATTIC_CACHE: 'main' }))).toEqual(['ATTIC_SERVER'])
    expect(missingPartners(buildEnv({}))).toEqual([])
  })
})

describe('a host inside the cluster', () => {
  const isService = ({ namespace, name }: { namespace: string; name: string }): boolean =>
    ['ns/attic', 'cache/attic'].includes(`${namespace}/${name}`)

  it.each([
    ['attic', { namespace: 'ns', name: 'attic' }],
    ['attic.cache', { namespace: 'cache', name: 'attic' }],
    ['attic.cache.svc', { namespace: 'cache', name: 'attic' }],
    ['attic.cache.svc.cluster.local', { namespace: 'cache', name: 'attic' }],
    // A name with svc means a Service, even if it does not exist.
    ['gone.cache.svc', { namespace: 'cache', name: 'gone' }],
    ['other', null],
    ['example.com', null],
    ['attic.cache.example.com', null],
  ])('%s', (host, place) => {
    expect(findService(host, 'ns', isService)).toEqual(place)
  })
})

describe('a log line about an unreachable host', () => {
  it.each([
    'curl: (7) Failed to connect to a port 80 after 3 ms: Connection refused',
    "warning: unable to download 'http://a/x': Couldn't resolve host name",
    'dial tcp: lookup a on 10.96.0.10:53: no such host',
    'Error: connect ECONNREFUSED 10.0.0.1:80',
    'rpc error: code = DeadlineExceeded desc = context deadline exceeded',
    'HTTPSConnectionPool(host=a): Max retries exceeded: Connection timed out',
    'ssh: connect to host a port 22: No route to host',
  ])('%s', (line) => {
    expect(isReachFailure(line)).toBe(true)
  })

  it.each(['HTTP error 404', 'HTTP error 502 Bad Gateway', 'copying path from http://a', 'timeout-minutes: 30'])(
    'is not: %s',
    (line) => {
      expect(isReachFailure(line)).toBe(false)
    },
  )

  it.each([
    ['http://cache.example.com/x refused', 'cache.example.com', true],
    ['connect to cache.example.com:443 refused', 'cache.example.com', true],
    ['"cache.example.com" refused.', 'cache.example.com', true],
    ['host CACHE.example.com.', 'cache.example.com', true],
    ['db.cache.example.com refused', 'cache.example.com', false],
    ['cache.example.com.evil.dev refused', 'cache.example.com', false],
    ['my-cache.example.com', 'cache.example.com', false],
    ['mycache.example.com and cache.example.com', 'cache.example.com', true],
    ['attic refused', 'attic', false],
    ['http://attic/x refused', 'attic', true],
    ['dial attic:8080: refused', 'attic', true],
    ['dial attic:80800: refused', 'attic', false],
  ])('about the host: %s', (line, host, isNamed) => {
    expect(namesHost(line, host, 8080)).toBe(isNamed)
  })
})
