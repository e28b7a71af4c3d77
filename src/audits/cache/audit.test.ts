import { describe, expect, it } from 'vitest'
import { WHOLE_FLEET } from '#/core/audit/audit.ts'
import { blind, seen } from '#/core/basics/observed.ts'
import { podEvent, runnerPod, scaleSet, buildSecret } from '#test/fleets/arc-objects.ts'
import type { Lists } from '#test/fleets/build-fleet.ts'
import { buildFleet } from '#test/fleets/build-fleet.ts'
import { NAME, SERVER, cacheCase, env, service, setWith, slice } from '#test/fleets/cache-case.ts'
import { cache } from './audit.ts'

const HEALTHY: Lists = {
  autoscalingrunnersets: [scaleSet('lane', { runner: env(SERVER, NAME) })],
  services: [service()],
  endpointslices: [slice(true)],
  secrets: [buildSecret('arc-runners', 'attic', { token: 'eA==' })],
}

const { findings, reported } = cacheCase(HEALTHY)

describe('the audit applies', () => {
  it.each([
    ['with variables of a cache', setWith(env(SERVER)), undefined, true],
    ['without', setWith({}), undefined, false],
    ['by declaration', setWith({}), {}, true],
  ])('%s', (_, lists, declared, applies) => {
    const fleetFile = declared === undefined ? {} : { fleetFile: seen({ cache: declared }) }
    expect(cache.applies(buildFleet(lists, fleetFile), WHOLE_FLEET)).toBe(applies)
  })
})

describe('variables', () => {
  const declared = { env: ['ATTIC_SERVER', 'ATTIC_CACHE'] }

  it('that are declared and set give no finding', () => {
    expect(reported({ cache: declared })).toEqual([])
  })

  it('are missing if they are absent or empty', () => {
    const [finding] = findings({ lists: setWith(env(['ATTIC_SERVER', ''])), cache: declared })
    expect(finding).toMatchObject({ class: 'env-missing', fields: { missing: ['ATTIC_SERVER', 'ATTIC_CACHE'] } })
  })

  it('that may come from a ConfigMap are unknown', () => {
    const runner = { envFrom: [{ configMapRef: { name: 'c' } }] }
    expect(reported({ lists: setWith(runner), cache: declared })).toEqual(['blind warning kubernetes/configmaps'])
  })

  it('that may come from a Secret are unknown if Secrets could not be read, and the source reports that', () => {
    const lists = {
      ...setWith({ envFrom: [{ secretRef: { name: 's' } }] }),
      secrets: blind('forbidden', '403') as never,
    }
    expect(reported({ lists, cache: declared })).toEqual([])
  })

  it('that come from an existing Secret are set', () => {
    const runner = { envFrom: [{ secretRef: { name: 's' } }] }
    const secrets = [buildSecret('arc-runners', 's', { ATTIC_SERVER: 'eA==', ATTIC_CACHE: 'eA==' })]
    expect(reported({ lists: { ...setWith(runner), secrets }, cache: declared })).toEqual([])
  })

  it('of other sets of the lane, and the other one of a pair, are required without a declaration', () => {
    const other = scaleSet('lane-b', { spec: { runnerScaleSetName: 'lane' } })
    const lists = { autoscalingrunnersets: [scaleSet('lane', { runner: env(SERVER, NAME) }), other] }
    expect(reported({ lists })).toEqual(['env-missing warning lane-b'])
    expect(reported({ lists: setWith(env(SERVER)) })).toEqual(['env-missing warning lane'])
    const apart = scaleSet('apart')
    expect(
      reported({ lists: { autoscalingrunnersets: [scaleSet('lane', { runner: env(SERVER, NAME) }), apart] } }),
    ).toEqual([])
  })

  it('are checked only for the requested sets', () => {
    const lists = { autoscalingrunnersets: [scaleSet('a'), scaleSet('b')] }
    const fleet = buildFleet(lists, { fleetFile: seen({ cache: declared }) })
    const names = (question: object): readonly string[] =>
      cache.examine(fleet, { ...WHOLE_FLEET, ...question }).map(({ subject }) => subject.name)
    expect(names({ scaleSets: ['b'] })).toEqual(['b'])
    expect(names({ labels: ['A'] })).toEqual(['a'])
  })
})

describe('a Secret of the cache', () => {
  const runner = { env: [{ name: 'ATTIC_TOKEN', valueFrom: { secretKeyRef: { name: 'gone', key: 'token' } } }] }
  const place = { secret: { namespace: 'arc-runners', name: 'gone' } }

  it('is reported missing by declaration and by the variable that names it, once', () => {
    expect(reported({ cache: place })).toEqual(['secret-missing warning gone'])
    expect(reported({ lists: setWith(runner) })).toEqual(['secret-missing warning gone'])
    expect(reported({ lists: setWith(runner), cache: place })).toEqual(['secret-missing warning gone'])
  })

  it('is not reported missing if it is optional, present, unrelated, or Secrets could not be read', () => {
    const optional = {
      env: [{ name: 'ATTIC_TOKEN', valueFrom: { secretKeyRef: { name: 'gone', key: 't', optional: true } } }],
    }
    const foreign = { env: [{ name: 'NPM_TOKEN', valueFrom: { secretKeyRef: { name: 'gone', key: 't' } } }] }
    expect(reported({ lists: setWith(optional) })).toEqual([])
    expect(reported({ lists: setWith(foreign) })).toEqual([])
    expect(reported({ lists: { ...setWith(runner), secrets: blind('forbidden', '403') }, cache: place })).toEqual([])
  })

  it('is reported missing if it lacks the key', () => {
    const secrets = [buildSecret('arc-runners', 'gone', { other: 'eA==' })]
    expect(findings({ lists: { ...setWith(runner), secrets } })[0]?.evidence[0]).toBe('arc-runners/gone lacks a key')
  })

  it.each([
    ['the container says so', { reason: 'CreateContainerConfigError', message: 'secret "gone" not found' }, null],
    [
      'the key is missing',
      { reason: 'CreateContainerConfigError', message: "couldn't find key token in Secret arc-runners/gone" },
      null,
    ],
    [
      'a volume waits for it',
      { reason: 'ContainerCreating' },
      'MountVolume.SetUp failed for volume "a" : secret "gone" not found',
    ],
  ])('is critical if a pod fails because of it: %s', (_, waiting, message) => {
    const pod = runnerPod('lane', 'r1', { waiting })
    const events = message === null ? [] : [podEvent(pod, 'FailedMount', message)]
    expect(reported({ lists: { ...setWith(runner), pods: [pod], events } })).toEqual(['secret-missing critical gone'])
  })

  it('is a warning if a pod fails because of another, or runs', () => {
    const other = runnerPod('lane', 'r1', { waiting: { reason: 'X', message: 'secret "gone-too" not found' } })
    const runs = runnerPod('lane', 'r2')
    const events = [podEvent(runs, 'FailedMount', 'secret "gone" not found')]
    expect(reported({ lists: { ...setWith(runner), pods: [other, runs], events } })).toEqual([
      'secret-missing warning gone',
    ])
  })
})

describe('the Service of the cache', () => {
  it.each([
    ['one ready endpoint', [service()], [slice(false, true)], []],
    ['an endpoint without a condition', [service()], [slice(undefined)], []],
    ['none ready', [service()], [slice(false, false)], ['service-unready warning attic']],
    ['no endpoints', [service()], [slice()], ['service-unready warning attic']],
    ['no slice', [service()], [], ['service-unready warning attic']],
    ['no Service', [], [], ['unreachable warning lane']],
    ['the port', [service({ ports: [{ port: 8080 }] })], [slice(true)], []],
    ['another port', [service({ ports: [{ port: 80 }] })], [slice(true)], ['unreachable warning lane']],
    ['any port', [service({ clusterIP: 'None', ports: [{ port: 80 }] })], [slice(true)], []],
    ['an alias of an external host', [service({ type: 'ExternalName' })], [], []],
  ])('with %s', (_, services, endpointslices, expected) => {
    expect(reported({ lists: { services, endpointslices } })).toEqual(expected)
  })

  it('is unknown if it was not read: reported here if not requested, by the source if refused', () => {
    const unasked = blind('not-asked', 'x') as never
    expect(reported({ lists: { endpointslices: unasked } })).toEqual(['blind warning kubernetes/endpointslices'])
    expect(reported({ lists: { services: unasked } })).toEqual(['blind warning kubernetes/services'])
    expect(reported({ lists: { services: blind('forbidden', '403') } })).toEqual([])
  })

  it('that does not exist is a finding of the sets that name it, unless it is declared', () => {
    const elsewhere = { metadata: { namespace: 'cache', name: 'attic' }, spec: {} }
    const [finding] = findings({ lists: { services: [elsewhere] } })
    expect(finding).toMatchObject({ class: 'unreachable', subject: { name: 'lane' } })
    expect(finding?.evidence).toEqual([
      'ATTIC_SERVER of lane names attic.nix-cache.svc:8080, but there is no Service nix-cache/attic',
      'a Service of this name is in cache',
    ])
    expect(finding?.hint).toContain('cache/attic does')
    const declared = { service: { namespace: 'nix-cache', name: 'attic' } }
    expect(reported({ lists: { services: [elsewhere] }, cache: declared })).toEqual(['service-unready warning attic'])
  })

  it('by its short name is in the namespace of the runners, or not found', () => {
    const short = setWith(env(['ATTIC_SERVER', 'http://attic:8080'], NAME))
    expect(reported({ lists: short })).toEqual(['unreachable warning lane'])
    const own = { metadata: { namespace: 'arc-runners', name: 'attic' }, spec: { type: 'ExternalName' } }
    expect(reported({ lists: { ...short, services: [service(), own] } })).toEqual([])
    expect(reported({ lists: setWith(env(['ATTIC_SERVER', 'http://elsewhere:8080'], NAME)) })).toEqual([])
  })

  it('is checked once if it is also declared', () => {
    const declared = { service: { namespace: 'nix-cache', name: 'attic' } }
    expect(reported({ lists: { endpointslices: [] }, cache: declared })).toEqual(['service-unready warning attic'])
  })
})

describe('the name of the cache', () => {
  const declared = { env: ['ATTIC_SERVER', 'ATTIC_CACHE'], cacheName: 'main' }

  it.each([
    ['is right', env(SERVER, NAME), []],
    ['is another', env(SERVER, ['ATTIC_CACHE', 'staging']), ['name-mismatch warning lane']],
    [
      'is not confused with the name of the pod',
      { env: [...env(SERVER, NAME).env, { name: 'POD_NAME', value: 'x' }] },
      [],
    ],
    ['is not an address', env(SERVER, NAME, ['BAZEL_REMOTE_CACHE', 'grpc://attic.nix-cache.svc:9092']), []],
    [
      'is hidden',
      { env: [...env(SERVER).env, { name: 'ATTIC_CACHE', valueFrom: { configMapKeyRef: { name: 'c', key: 'k' } } }] },
      ['blind warning kubernetes/configmaps'],
    ],
  ])('%s', (_, runner, expected) => {
    expect(reported({ lists: setWith(runner), cache: declared })).toEqual(expected)
  })

  it('is checked in the declared variable if none has such a name', () => {
    const buildCache = { env: ['NIX_STORE_ID', 'NIX_STORE_URL'], cacheName: 'main' }
    const runner = env(['NIX_STORE_ID', 'other'], ['NIX_STORE_URL', 'http://attic.nix-cache.svc:8080'])
    expect(findings({ lists: setWith(runner), cache: buildCache })).toMatchObject([
      { class: 'name-mismatch', fields: { variable: 'NIX_STORE_ID', found: 'other' } },
    ])
  })
})

describe('the keys of the cache', () => {
  const KEY = 'main:kP7d+q0/PqVtL8mRz1xSgH3cYfWu5Jb2EaTi6oNvXkM=='
  const declared = { trustedKeys: [KEY] }
  const nix = (text: string) => env(SERVER, NAME, ['NIX_CONFIG', text])

  it.each([
    ['are in NIX_CONFIG', nix(`extra-trusted-public-keys = a:b= ${KEY}`), []],
    ['are in another variable', env(SERVER, NAME, ['NIX_TRUSTED', KEY]), []],
    ['are part of another key', nix(`trusted-public-keys = ${KEY}x`), ['key-untrusted warning lane']],
    ['are in a comment', nix(`# ${KEY}`), ['key-untrusted warning lane']],
    ['are nowhere', env(SERVER, NAME), ['key-untrusted warning lane']],
    [
      'may stand in a mounted file',
      { ...env(SERVER, NAME), volumeMounts: [{ name: 'nix', mountPath: '/etc/nix/nix.conf' }] },
      ['blind warning kubernetes/configmaps'],
    ],
    [
      'may stand in what was redacted',
      env(SERVER, NAME, ['NIX_TRUSTED_PUBLIC_KEYS', '‹redacted:credential›']),
      ['blind warning kubernetes/configmaps'],
    ],
  ])('%s', (_, runner, expected) => {
    expect(reported({ lists: setWith(runner), cache: declared })).toEqual(expected)
  })

  it('are checked for the sets that use the cache', () => {
    const lists = { autoscalingrunnersets: [scaleSet('lane', { runner: nix(KEY) }), scaleSet('docker')] }
    expect(reported({ lists, cache: declared })).toEqual([])
  })
})
