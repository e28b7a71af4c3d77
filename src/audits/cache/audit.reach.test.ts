import { describe, expect, it } from 'vitest'
import type { ProbeAnswer } from '#/core/fleet/probe-answer.ts'
import type { Snapshot } from '#/core/fleet/snapshot.ts'
import { seen } from '#/core/basics/observed.ts'
import { ephemeralRunner, runnerPod, scaleSet } from '#test/fleets/arc-objects.ts'
import type { Lists } from '#test/fleets/build-fleet.ts'
import { NOW } from '#test/fleets/build-fleet.ts'
import { NAME, SERVER, cacheCase, env, service, setWith, slice } from '#test/fleets/cache-case.ts'

const HEALTHY: Lists = {
  autoscalingrunnersets: [scaleSet('lane', { runner: env(SERVER, NAME) })],
  services: [service()],
  endpointslices: [slice(true)],
}

const { reported: findings } = cacheCase(HEALTHY)

describe('reaching the cache', () => {
  const lists = { pods: [runnerPod('lane', 'r1')], ephemeralrunners: [ephemeralRunner('lane', 'r1')] }
  const said = (text: string, at: number | null = NOW - 60_000, more: readonly string[] = []) => ({
    logs: seen([
      {
        namespace: 'arc-runners',
        pod: 'r1',
        container: 'runner',
        previous: false,
        firstAt: null,
        lastAt: null,
        lines: [{ at, text }, ...more.map((line) => ({ at, text: line }))],
      },
    ]),
  })
  const REFUSED = 'Failed to connect to attic.nix-cache.svc port 8080: Connection refused'

  it('fails if a build logs an error', () => {
    expect(findings({ lists, others: said(REFUSED) })).toEqual(['unreachable warning lane'])
    expect(findings({ lists, others: said(REFUSED, null) })).toEqual(['unreachable warning lane'])
  })

  it('is judged by log lines of the last hour', () => {
    expect(findings({ lists, others: said(REFUSED, NOW - 3_599_000) })).toEqual(['unreachable warning lane'])
    expect(findings({ lists, others: said(REFUSED, NOW - 3_600_000) })).toEqual([])
  })

  it.each([
    ['of another host', 'Failed to connect to db.example.com port 1: Connection refused', []],
    ['that is no failure', 'copying from http://attic.nix-cache.svc:8080', []],
    ['of a job that succeeded', REFUSED, ['Job build completed with result: Succeeded']],
  ])('does not fail by a line %s', (_, line, more) => {
    expect(findings({ lists, others: said(line, NOW - 1, more) })).toEqual([])
  })

  it('also fails by the cluster IP of the Service', () => {
    const services = [service({ clusterIP: '10.96.1.2' })]
    const others = said('dial tcp 10.96.1.2:8080: connect: connection refused')
    expect(findings({ lists: { ...lists, services }, others })).toEqual(['unreachable warning lane'])
  })

  const answer = (changes: Partial<ProbeAnswer>): Partial<Snapshot> => ({
    probes: seen([
      {
        sets: [{ namespace: 'arc-runners', name: 'lane' }],
        pod: 'p',
        trouble: null,
        targets: [],
        bundles: [],
        variables: [],
        ...changes,
      },
    ]),
  })
  const target = (result: 'reached' | 'refused' | 'timeout' | 'unresolved' | 'failed' | 'unknown') =>
    answer({ targets: [{ from: 'ATTIC_SERVER', host: 'attic.nix-cache.svc', port: 8080, result }] })

  it.each(['refused', 'timeout', 'unresolved', 'failed'] as const)('fails if a probe is %s', (result) => {
    expect(findings({ others: target(result) })).toEqual(['unreachable warning lane'])
  })

  it.each(['reached', 'unknown'] as const)('does not fail if a probe says %s', (result) => {
    expect(findings({ others: target(result) })).toEqual([])
  })

  it('is unknown if a probe has no result', () => {
    expect(findings({ others: answer({ trouble: 'its pod cannot start' }) })).toEqual(['blind warning probe'])
  })

  it("uses the probe's result for variables, set or not", () => {
    const runner = { envFrom: [{ configMapRef: { name: 'c' } }] }
    const declared = { env: ['ATTIC_SERVER'] }
    const inside = (isSet: boolean) => answer({ variables: [{ name: 'ATTIC_SERVER', isSet }] })
    expect(findings({ lists: setWith(runner), cache: declared, others: inside(true) })).toEqual([])
    expect(findings({ lists: setWith(runner), cache: declared, others: inside(false) })).toEqual([
      'env-missing warning lane',
    ])
    expect(findings({ lists: setWith({}), cache: declared, others: inside(true) })).toEqual([])
    expect(findings({ lists: setWith({}), cache: declared, others: answer({}) })).toEqual(['env-missing warning lane'])
  })
})
