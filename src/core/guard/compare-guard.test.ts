import { describe, expect, it } from 'vitest'
import { blind, none, seen } from '#/core/basics/observed.ts'
import { comparePiece, readMode } from './compare-guard.ts'
import { buildGuard } from './manifests.ts'
import type { GuardManifest } from './manifests.ts'

const [budget, policy, binding] = buildGuard({ mode: 'deny', namespaces: ['runners'] }) as [
  GuardManifest,
  GuardManifest,
  GuardManifest,
]

/** With the defaults of the server and its word about the types. */
function live(manifest: GuardManifest, change: { readonly spec?: object; readonly status?: object } = {}): unknown {
  const status = { observedGeneration: 2, typeChecking: {}, ...change.status }
  const spec = { ...manifest.spec, unhealthyPodEvictionPolicy: 'IfHealthyBudget', ...change.spec }
  return { ...manifest, metadata: { ...manifest.metadata, generation: 2 }, spec, status }
}

describe('an object of the guard in the cluster', () => {
  it.each([budget, policy, binding])('is ok with the defaults of the server: $kind', (manifest) => {
    expect(comparePiece(manifest, seen(live(manifest)))).toMatchObject({ state: 'ok' })
  })

  it.each([
    ['missing', none(), 'not applied'],
    ['blind', blind('forbidden', '403'), 'forbidden: 403'],
    ['different', seen(live(policy, { spec: { validations: [] } })), 'validations differ'],
    ['different', seen(live(policy, { spec: { failurePolicy: 'Ignore' } })), 'failurePolicy differ'],
    ['different', seen(live(policy, { status: { observedGeneration: 1 } })), 'its types are not checked yet'],
    [
      'different',
      seen(live(policy, { status: { typeChecking: { expressionWarnings: [{ warning: 'undefined field' }] } } })),
      'type warning: undefined field',
    ],
  ])('is %s', (state, observed, detail) => {
    expect(comparePiece(policy, observed)).toMatchObject({ state, detail })
  })

  const places = (...values: readonly string[]) => ({
    matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values }],
  })

  it.each([
    ['a narrower objectSelector', { objectSelector: { matchLabels: { team: 'a' } } }],
    ['a second condition on the namespace', { namespaceSelector: { ...places('runners'), matchLabels: { a: 'b' } } }],
    ['rules of its own', { resourceRules: [{ operations: ['DELETE'] }] }],
    ['exceptions', { excludeResourceRules: [{ resourceNames: ['a'] }] }],
  ])('is different with %s: that takes runners out of the guard', (_, change) => {
    const matchResources = { ...(binding.spec['matchResources'] as object), ...change }
    expect(comparePiece(binding, seen(live(binding, { spec: { matchResources } })))).toMatchObject({
      state: 'different',
      detail: 'matchResources differ',
    })
  })

  it('names the namespaces that only the one in the cluster guards', () => {
    const own = binding.spec['matchResources'] as object
    const matchResources = { ...own, namespaceSelector: places('runners', 'others') }
    expect(comparePiece(binding, seen(live(binding, { spec: { matchResources } })))).toMatchObject({
      detail: 'matchResources differ: without these namespaces, which it guards in the cluster: others',
    })
  })

  it.each([
    ['deny', ['Deny']],
    ['audit', ['Warn', 'Audit']],
    [null, ['Warn']],
    [null, []],
  ])('has the mode %s by the actions %j of its binding', (mode, validationActions) => {
    expect(readMode({ spec: { validationActions } })).toBe(mode)
  })
})
