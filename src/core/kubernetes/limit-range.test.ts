import { describe, expect, it } from 'vitest'
import { readLimitRange, refusalsBy, withDefaults } from './limit-range.ts'
import { podRequests } from './pod-request.ts'

const range = (limit: Record<string, unknown>) =>
  readLimitRange({ metadata: { namespace: 'a', name: 'r' }, spec: { limits: [{ type: 'Container', ...limit }] } })
const spec = (resources: Record<string, unknown>) => ({ containers: [{ name: 'runner', resources }] })
const asked = (resources: Record<string, unknown>, limit: Record<string, unknown>) =>
  podRequests(withDefaults(spec(resources), [range(limit)]), new Map()).get('cpu')

describe('a LimitRange', () => {
  it.each([
    ['fills in a request', {}, { defaultRequest: { cpu: '2' } }, 2],
    ['leaves a request alone', { requests: { cpu: '1' } }, { defaultRequest: { cpu: '2' } }, 1],
    ['lets a limit of the pod be its request', { limits: { cpu: '4' } }, { defaultRequest: { cpu: '2' } }, 4],
    [
      'takes the default request before the default limit',
      {},
      { default: { cpu: '8' }, defaultRequest: { cpu: '2' } },
      2,
    ],
    ['takes the default limit where there is no default request', {}, { default: { cpu: '8' } }, 8],
  ])('%s', (_, resources, limit, cpu) => {
    expect(asked(resources, limit)).toBe(cpu)
  })

  it.each([
    [{ limits: { memory: '256Mi' } }, { max: { memory: '128Mi' } }, 1],
    [{ limits: { memory: '128Mi' } }, { max: { memory: '128Mi' } }, 0],
    [{ requests: { memory: '32Mi' } }, { min: { memory: '64Mi' } }, 1],
    [{}, { min: { memory: '64Mi' } }, 0],
    [{ limits: { memory: '256Mi' } }, { type: 'Pod', max: { memory: '128Mi' } }, 1],
    [{ limits: { memory: '256Mi' } }, { type: 'PersistentVolumeClaim', max: { memory: '128Mi' } }, 0],
  ])('with %j against %j refuses %i times', (resources, limit, times) => {
    expect(refusalsBy(range(limit), spec(resources))).toHaveLength(times)
  })

  it('adds up the containers of a pod for its pod limit', () => {
    const two = { containers: [{ resources: { limits: { cpu: '1' } } }, { resources: { limits: { cpu: '1' } } }] }
    expect(refusalsBy(range({ type: 'Pod', max: { cpu: '1500m' } }), two)).toHaveLength(1)
  })
})
