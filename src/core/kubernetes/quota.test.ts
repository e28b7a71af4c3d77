import { describe, expect, it } from 'vitest'
import { countsAgainst, readQuota, roomIn } from './quota.ts'

const spec = {
  containers: [
    { resources: { requests: { cpu: '500m', memory: '1Gi' }, limits: { memory: '2Gi', 'nvidia.com/gpu': '1' } } },
  ],
  volumes: [
    {
      name: 'work',
      ephemeral: {
        volumeClaimTemplate: { spec: { storageClassName: 'fast', resources: { requests: { storage: '10Gi' } } } },
      },
    },
  ],
}

const quota = (hard: Record<string, string>, used: Record<string, string> = {}, rest = {}) =>
  readQuota({ metadata: { namespace: 'a', name: 'q' }, spec: { hard, ...rest }, status: { hard, used } })

describe('room in a quota', () => {
  it.each([
    [{ pods: '5' }, { pods: '3' }, 2, 'pods'],
    [{ 'count/pods': '5' }, {}, 5, 'count/pods'],
    [{ 'requests.cpu': '2' }, { 'requests.cpu': '1' }, 2, 'requests.cpu'],
    [{ cpu: '2' }, {}, 4, 'cpu'],
    [{ 'limits.memory': '5Gi' }, {}, 2, 'limits.memory'],
    [{ 'requests.nvidia.com/gpu': '3' }, {}, 3, 'requests.nvidia.com/gpu'],
    [{ persistentvolumeclaims: '1' }, {}, 1, 'persistentvolumeclaims'],
    [{ 'count/persistentvolumeclaims': '1' }, {}, 1, 'count/persistentvolumeclaims'],
    [{ 'requests.storage': '25Gi' }, {}, 2, 'requests.storage'],
    [
      { 'fast.storageclass.storage.k8s.io/requests.storage': '15Gi' },
      {},
      1,
      'fast.storageclass.storage.k8s.io/requests.storage',
    ],
    [{ 'slow.storageclass.storage.k8s.io/requests.storage': '0' }, {}, null, null],
    [{ 'count/ephemeralrunners.actions.github.com': '4' }, {}, 4, 'count/ephemeralrunners.actions.github.com'],
    [{ pods: '9', 'requests.cpu': '1' }, {}, 2, 'requests.cpu'],
    [{ services: '0' }, {}, null, null],
    [{ pods: '3' }, { pods: '5' }, 0, 'pods'],
  ])('%j with %j used has room for %s more, bound by %s', (hard, used, more, boundBy) => {
    expect(roomIn(quota(hard, used), spec, new Map())).toEqual({ more, boundBy })
  })

  it('is 0 for a pod without a request for a counted resource', () => {
    expect(roomIn(quota({ 'limits.cpu': '99' }), spec, new Map())).toEqual({ more: 0, boundBy: 'limits.cpu' })
  })
})

describe('a pod', () => {
  it.each([
    [{}, true],
    [{ scopes: ['BestEffort'] }, false],
    [{ scopes: ['NotBestEffort'] }, true],
    [{ scopes: ['Terminating'] }, false],
    [{ scopes: ['NotTerminating', 'NotBestEffort'] }, true],
    [
      { scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }] } },
      false,
    ],
    [
      { scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'NotIn', values: ['high'] }] } },
      true,
    ],
    [{ scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'DoesNotExist' }] } }, true],
  ])('counts against a quota of %j: %s', (rest, counts) => {
    expect(countsAgainst(quota({ pods: '1' }, {}, rest), spec)).toBe(counts)
  })

  it('with a priority or a deadline is in the scope of these', () => {
    const high = { ...spec, priorityClassName: 'high', activeDeadlineSeconds: 60 }
    const rest = {
      scopes: ['Terminating'],
      scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }] },
    }
    expect(countsAgainst(quota({ pods: '1' }, {}, rest), high)).toBe(true)
  })
})
