import { describe, expect, it } from 'vitest'
import { arcLogOrders, hookLogOrders } from './arc-pods.ts'

const pod = (name: string, labels: object) => ({
  metadata: { name, namespace: 'arc', labels },
  spec: { containers: [{ name: 'c' }] },
})
const part = (partOf: string, component: string) => ({
  'app.kubernetes.io/part-of': partOf,
  'app.kubernetes.io/component': component,
})
const pods = [
  pod('controller', part('gha-rs-controller', 'controller-manager')),
  pod('listener', part('gha-runner-scale-set', 'runner-scale-set-listener')),
  pod('linux-runner', part('gha-runner-scale-set', 'runner')),
  pod('linux-runner-workflow', { 'runner-pod': 'linux-runner' }),
  pod('mac-runner-workflow', { 'runner-pod': 'mac-runner' }),
  pod('web', {}),
]

describe("ARC's pods", () => {
  it('are its controller and its listeners, not its runners', () => {
    expect(arcLogOrders(pods, 7).map(({ pod: name, since }) => [name, since])).toEqual([
      ['controller', 7],
      ['listener', 7],
    ])
  })

  it('that a job asked for belong to its runner', () => {
    expect(hookLogOrders(pods, new Set(['linux-runner']), 7).map((order) => order.pod)).toEqual([
      'linux-runner-workflow',
    ])
  })

  it('are not all read where a fleet has hundreds', () => {
    const many = Array.from({ length: 200 }, (_, index) => pod(`listener-${index}`, part('gha-rs-controller', 'x')))
    expect(arcLogOrders(many, 7)).toHaveLength(50)
  })
})
