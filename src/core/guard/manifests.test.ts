import { describe, expect, it } from 'vitest'
import { EXEMPT_USERS } from './exempt.ts'
import { buildGuard, VALIDATION_ACTIONS } from './manifests.ts'
import type { GuardManifest } from './manifests.ts'
import { buildStamp, isStamped, readBreakGlass, readStampReason } from './stamp.ts'

const PLACES = ['team-b', 'team-a', 'team-a']
const names = (manifests: readonly GuardManifest[]): readonly string[] =>
  manifests.map(({ kind, metadata: { namespace = '-', name } }) => `${kind} ${namespace} ${name}`)

describe('the objects of the guard', () => {
  it('are two policies with their bindings, and a budget for each namespace', () => {
    expect(names(buildGuard({ mode: 'deny', namespaces: PLACES }))).toEqual([
      'PodDisruptionBudget team-a signalbox-guard',
      'PodDisruptionBudget team-b signalbox-guard',
      'ValidatingAdmissionPolicy - signalbox-guard-pods',
      'ValidatingAdmissionPolicyBinding - signalbox-guard-pods',
      'ValidatingAdmissionPolicy - signalbox-guard-ephemeralrunners',
      'ValidatingAdmissionPolicyBinding - signalbox-guard-ephemeralrunners',
    ])
  })

  it('have no budget in the mode audit, because a budget cannot only report', () => {
    const kinds = buildGuard({ mode: 'audit', namespaces: PLACES }).map(({ kind }) => kind)
    expect(kinds).not.toContain('PodDisruptionBudget')
  })

  it.each(['audit', 'deny'] as const)('bind in the mode %s, in the named namespaces only', (mode) => {
    const bindings = buildGuard({ mode, namespaces: PLACES }).filter(({ kind }) => kind.endsWith('Binding'))
    for (const { spec } of bindings) {
      expect(spec['validationActions']).toEqual(VALIDATION_ACTIONS[mode])
      expect(JSON.stringify(spec['matchResources'])).toContain('"values":["team-a","team-b"]')
    }
  })

  it('select by the stamp alone, and exempt no account of ours', () => {
    const policies = buildGuard({ mode: 'deny', namespaces: PLACES }).filter(({ kind }) => kind.endsWith('Policy'))
    for (const { spec } of policies) {
      expect(spec).toMatchObject({
        failurePolicy: 'Fail',
        matchConstraints: {
          objectSelector: { matchLabels: { 'signalbox.dev/working': 'true' } },
          resourceRules: [{ operations: ['DELETE'] }],
        },
      })
    }
    for (const user of EXEMPT_USERS) expect(user).toMatch(/^system:(?:serviceaccount:kube-system:|kube-)/)
  })
})

describe('the stamp', () => {
  const stamped = (object: object, kind: 'Pod' | 'EphemeralRunner' = 'Pod') => ({
    metadata: buildStamp(object, kind, 'it executes a job'),
  })

  it('keeps Karpenter and the cluster autoscaler away from a pod', () => {
    const pod = stamped({ metadata: {} })
    expect(isStamped(pod)).toBe(true)
    expect(readStampReason(pod)).toBe('it executes a job')
    expect(pod.metadata.annotations).toMatchObject({
      'karpenter.sh/do-not-disrupt': 'true',
      'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false',
    })
    expect(Object.keys(stamped({}, 'EphemeralRunner').metadata.annotations)).toEqual(['signalbox.dev/working-because'])
  })

  it('leaves an annotation alone that somebody else has set to another value', () => {
    const own = { metadata: { annotations: { 'karpenter.sh/do-not-disrupt': 'false' } } }
    expect(stamped(own).metadata.annotations).not.toHaveProperty(['karpenter.sh/do-not-disrupt'])
  })

  it('is broken by a reason only', () => {
    const glass = (reason: string) =>
      readBreakGlass({ metadata: { annotations: { 'signalbox.dev/break-glass': reason } } })
    expect([glass(' node burns '), glass(''), glass('  '), readBreakGlass({})]).toEqual([
      'node burns',
      null,
      null,
      null,
    ])
  })
})
