import { describe, expect, it } from 'vitest'
import { fleetLogOrders } from './fleet-log-orders.ts'

const KIB = 1024
const none = new Set<string>()

function pod(name: string, { labels = {}, node = 'n1', containers = ['runner'], phase = 'Running', at = 0 } = {}) {
  return {
    metadata: {
      name,
      namespace: 'ns',
      labels,
      creationTimestamp: new Date(Date.UTC(2026, 5, 6, 20, at)).toISOString(),
    },
    spec: { ...(node === '' ? {} : { nodeName: node }), containers: containers.map((one) => ({ name: one })) },
    status: { phase },
  }
}
const runner = { 'actions-ephemeral-runner': 'True' }
const controller = { 'app.kubernetes.io/part-of': 'gha-rs-controller' }
const listener = {
  'app.kubernetes.io/part-of': 'gha-runner-scale-set',
  'app.kubernetes.io/component': 'runner-scale-set-listener',
}
const wish = { logBytes: 256 * KIB, since: null, unready: none }

describe('the logs of a fleet', () => {
  it('are those of ARC and of runners, ARC’s first and more of the controller’s', () => {
    const pods = [
      pod('r1', { labels: runner, containers: ['runner', 'dind'] }),
      pod('other', { containers: ['main'] }),
      pod('l1', { labels: listener, containers: ['listener'] }),
      pod('c1', { labels: controller, containers: ['manager'] }),
    ]
    const { orders, leftOut } = fleetLogOrders(pods, none, wish)
    expect(orders.map((order) => [order.pod, order.container.name, order.bytes])).toEqual([
      ['l1', 'listener', 256 * KIB],
      ['c1', 'manager', 4096 * KIB],
      ['r1', 'runner', 256 * KIB],
    ])
    expect(leftOut).toBe(0)
  })

  it('know a runner by ARC’s record too, and have none of a pod without a node', () => {
    const pods = [pod('r1'), pod('r2', { labels: runner, node: '' }), pod('r3')]
    expect(fleetLogOrders(pods, new Set(['ns/r3']), wish).orders.map((order) => order.pod)).toEqual(['r3'])
  })

  it('begin with runners that stand, the oldest first, and end with nodes that will hardly answer', () => {
    const pods = [
      pod('ended', { labels: runner, phase: 'Failed', at: 1 }),
      pod('young', { labels: runner, at: 9 }),
      pod('old', { labels: runner, at: 2 }),
      pod('lost', { labels: runner, at: 0, node: 'away' }),
    ]
    const { orders } = fleetLogOrders(pods, none, { ...wish, unready: new Set(['away']) })
    expect(orders.map((order) => order.pod)).toEqual(['old', 'young', 'ended', 'lost'])
  })

  it.each([
    [100, 256 * KIB, 0],
    [2000, 65_536 + 1572, 0],
    [5000, 26_843, 0],
    [5001, 26_843, 1],
  ])('of %i runners have %i bytes each, and leave out %i', (count, bytes, left) => {
    const pods = Array.from({ length: count }, (_, index) => pod(`r${index}`, { labels: runner }))
    const { orders, leftOut } = fleetLogOrders(pods, none, wish)
    expect([orders[0]?.bytes, orders.length, leftOut]).toEqual([bytes, count - left, left])
  })

  it('have lines since a time where one is given', () => {
    const [order] = fleetLogOrders([pod('r1', { labels: runner })], none, { ...wish, since: 7 }).orders
    expect(order?.since).toBe(7)
  })
})
