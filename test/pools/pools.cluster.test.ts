import { readFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { parseDocument } from 'yaml'
import { systemClock } from '#/adapters/clock.ts'
import { openMemoryStore } from '#/adapters/memory/store.ts'
import { openPools } from '#/app/dispatch/pools.ts'
import { redactToBytes } from '#/app/judging.ts'
import type { Config } from '#/config/config.ts'
import { listAt, textAt } from '#/core/basics/fields.ts'
import type { Store } from '#/ports/store/store.ts'
import { repeat } from '#/runtime/lead/loop.ts'
import { createMetrics } from '#/runtime/metrics/metrics.ts'
import type { ApiServer } from '#test/cluster/cluster.ts'
import { describeWithApiServer } from '#test/cluster/suites.ts'
import { until } from '#test/cluster/until.ts'
import { connectBy } from '#test/contracts/kubernetes-means.ts'
import { SPEC } from './paper-pools.ts'

const TIMEOUT = { timeout: 400_000 }
const DEFINITION = path.resolve(import.meta.dirname, '..', '..', 'deploy', 'chart', 'crds', 'runnerpools.yaml')
const POOLS = '/apis/signalbox.dev/v1alpha1/namespaces/default/runnerpools'
const PODS = '/api/v1/namespaces/default/pods'
const began = performance.now()
const say = (what: string): void =>
  void process.stdout.write(`${((performance.now() - began) / 1000).toFixed(2)} s: ${what}\n`)

const stops: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop()
})

/** The part as `serve` opens it, with a leader. */
async function serve({ kubeconfig }: ApiServer): Promise<Store> {
  const { store, lead } = openMemoryStore()
  const epoch = await lead()
  const kubernetes = connectBy(kubeconfig)
  const lines: string[] = []
  const write = (message: string, fields: object = {}): void => void lines.push(`${message} ${JSON.stringify(fields)}`)
  const log = { debug: () => undefined, info: write, warn: write, error: write }
  const dispatch = { url: 'https://signalbox', pools: null, startsPerNode: 4, mintWithinMs: 10_000 }
  const config = { kubernetes: { namespaces: { kind: 'named', names: ['default'] } }, tls: null } as unknown as Config
  const means = { config, clock: systemClock, log, metrics: createMetrics() }
  const keep = { redact: redactToBytes, rules: 'test' }
  const part = await openPools({ ...means, dispatch, kubernetes, store, ledger: store.ledger, keep })
  const over = new AbortController()
  const leading = (part.leaderLoops ?? []).map((loop) =>
    repeat({ ...loop, run: (signal) => loop.run(signal, { epoch: () => epoch }) }, means, over.signal),
  )
  const running = Promise.all([
    ...leading,
    ...(part.replicaLoops ?? []).map((loop) => repeat(loop, means, over.signal)),
  ])
  stops.push(async () => {
    over.abort()
    await running
    await kubernetes[Symbol.asyncDispose]()
  })
  return store
}

const poolOf = (name: string, spec: object): object => ({
  apiVersion: 'signalbox.dev/v1alpha1',
  kind: 'RunnerPool',
  metadata: { name, namespace: 'default' },
  spec,
})

describeWithApiServer('pools on a real API server', (cluster) => {
  const itemsAt = async (at: string): Promise<readonly unknown[]> =>
    listAt(await cluster().callOk({ path: at }), 'items')
  const reach = async (what: string, isReached: () => Promise<boolean>): Promise<void> => {
    const explain = async (): Promise<string> => JSON.stringify([await itemsAt(POOLS), await itemsAt(PODS)], null, 1)
    await until({ what, timeoutMs: 90_000, probe: async () => ((await isReached()) ? true : undefined), explain })
    say(what)
  }
  const conditionOf = async (name: string, type: string): Promise<string> => {
    const pool = await cluster().callOk({ path: `${POOLS}/${name}` })
    const found = listAt(pool, 'status', 'conditions').find((one) => textAt(one, 'type') === type)
    return `${textAt(found, 'status')}: ${textAt(found, 'message')}`
  }

  beforeAll(async () => {
    // As a definition from before a rule: what the API server does not refuse is for the condition.
    const withoutRules = (key: string, value: unknown): unknown =>
      key === 'x-kubernetes-validations' ? undefined : value
    const definition = JSON.stringify(parseDocument(readFileSync(DEFINITION, 'utf8')).toJS(), withoutRules)
    const body = JSON.parse(definition) as unknown
    const at = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
    await cluster().callOk({ method: 'POST', path: at, body })
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } }
    await cluster().call({ method: 'POST', path: '/api/v1/namespaces/default/serviceaccounts', body: account })
    await until({
      what: 'the API server to serve runnerpools',
      timeoutMs: 90_000,
      probe: async () => ((await cluster().call({ path: POOLS })).status === 200 ? true : undefined),
    })
  }, 400_000)

  test('a pool gets its pods, reports its state, and drains when it is deleted', TIMEOUT, async () => {
    const store = await serve(cluster())
    say('kubectl apply')
    const spec = { ...SPEC, size: { ...SPEC.size, warm: 2 } }
    await cluster().callOk({ method: 'POST', path: POOLS, body: poolOf('linux', spec) })
    await reach('two pods', async () => (await itemsAt(PODS)).length === 2)
    await reach('two slots', async () => (await store.assignments.slots({ states: ['warm'], limit: 9 })).length === 2)
    await reach('its status', async () => (await conditionOf('linux', 'Ready')) === 'False: its pods are starting')
    const [pod] = await itemsAt(PODS)
    expect(listAt(pod, 'metadata', 'finalizers')).toEqual(['signalbox.dev/evidence'])
    await cluster().callOk({ method: 'DELETE', path: `${POOLS}/linux` })
    await reach('no pod', async () => (await itemsAt(PODS)).length === 0)
    await reach('no pool', async () => (await itemsAt(POOLS)).length === 0)
    const rows = await store.ledger.list({ limit: 9 })
    expect(rows.map(({ act, outcome }) => `${act} ${outcome}`).toSorted((a, b) => a.localeCompare(b))).toEqual([
      'delete-pod done',
      'delete-pod done',
      'strip-finalizer done',
      'strip-finalizer done',
    ])
    expect(await store.assignments.slots({ states: ['ended'], limit: 9 })).toHaveLength(2)
  })

  test('a mistake that the API server does not find is a condition that names the field', TIMEOUT, async () => {
    await serve(cluster())
    const containers = [{ name: 'runner', image: 'runner:1' }]
    const template = { spec: { containers, initContainers: [{ name: 'poller', image: 'mine:1' }] } }
    await cluster().callOk({ method: 'POST', path: POOLS, body: poolOf('wrong', { ...SPEC, template }) })
    await reach('SpecValid is False', async () => (await conditionOf('wrong', 'SpecValid')).startsWith('False'))
    expect(await conditionOf('wrong', 'SpecValid')).toContain('has a container named poller')
    expect(await itemsAt(PODS)).toEqual([])
    await cluster().callOk({ method: 'DELETE', path: `${POOLS}/wrong` })
    await reach('no pool', async () => (await itemsAt(POOLS)).length === 0)
  })
})
