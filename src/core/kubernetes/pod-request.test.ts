import { describe, expect, it } from 'vitest'
import type { Overheads } from './pod-request.ts'
import { podLimits, podRequests, readOverheads } from './pod-request.ts'

const container = (requests: object, limits: object = {}, extra: object = {}) => ({
  name: 'c',
  resources: { requests, limits },
  ...extra,
})
const asked = (spec: unknown, overheads: Overheads = new Map()) => Object.fromEntries(podRequests(spec, overheads))

describe('what the scheduler reserves for a pod', () => {
  it('is the sum of its containers, and one slot', () => {
    expect(asked({ containers: [container({ cpu: '1' }), container({ cpu: '500m', memory: '1Gi' })] })).toEqual({
      cpu: 1.5,
      memory: 2 ** 30,
      pods: 1,
    })
  })

  it('is the limit if there is no request', () => {
    expect(asked({ containers: [container({ cpu: '1' }, { cpu: '2', memory: '1Gi' })] })).toEqual({
      cpu: 1,
      memory: 2 ** 30,
      pods: 1,
    })
  })

  it('is its largest init container if that is more', () => {
    const spec = {
      initContainers: [container({ cpu: '3' }), container({ cpu: '2' })],
      containers: [container({ cpu: '1' })],
    }
    expect(asked(spec)).toEqual({ cpu: 3, pods: 1 })
  })

  it('adds a sidecar to the containers, and to the init containers after it', () => {
    const sidecar = container({ cpu: '1' }, {}, { restartPolicy: 'Always' })
    const spec = { initContainers: [sidecar, container({ cpu: '4' })], containers: [container({ cpu: '2' })] }
    expect(asked(spec)).toEqual({ cpu: 5, pods: 1 })
  })

  it('counts the overhead of the runtime class, and that of the pod itself before it', () => {
    const overheads = readOverheads([
      { metadata: { name: 'kata' }, overhead: { podFixed: { memory: '160Mi', cpu: '250m' } } },
    ])
    const spec = { runtimeClassName: 'kata', containers: [container({ cpu: '1' })] }
    expect(asked(spec, overheads)).toEqual({ cpu: 1.25, memory: 160 * 2 ** 20, pods: 1 })
    expect(asked({ ...spec, overhead: { cpu: '1' } }, overheads)).toEqual({ cpu: 2, pods: 1 })
  })

  it('is one slot for a value that is not a pod', () => {
    expect(asked('nonsense')).toEqual({ pods: 1 })
  })
})

describe('what a quota on limits counts', () => {
  it('is the limits of containers and sidecars', () => {
    const spec = {
      initContainers: [container({}, { memory: '1Gi' }, { restartPolicy: 'Always' }), container({}, { memory: '8Gi' })],
      containers: [container({ memory: '9Gi' }, { memory: '2Gi' })],
    }
    expect(podLimits(spec, new Map()).get('memory')).toBe(3 * 2 ** 30)
  })
})
