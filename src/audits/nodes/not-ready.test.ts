import { describe, expect, it } from 'vitest'
import { nodes } from './audit.ts'
import { WHOLE_FLEET } from '#/core/audit/audit.ts'
import { buildLease, buildNode } from '#test/fleets/cluster-parts.ts'
import type { NodeCase } from '#test/fleets/cluster-parts.ts'
import { buildFleet } from '#test/fleets/build-fleet.ts'
import type { Lists } from '#test/fleets/build-fleet.ts'

const found = (lists: Lists): readonly string[] =>
  nodes.examine(buildFleet(lists), WHOLE_FLEET).map((one) => `${one.class} ${one.subject.name}`)

describe('a node that is not ready', () => {
  it.each<readonly [string, boolean, NodeCase]>([
    ['says so', true, { ready: 'False', readySince: 1 }],
    ['stopped reporting', true, { ready: 'Unknown', readySince: 9 }],
    ['is not one that says Ready', false, {}],
    ['is not one that joined less than five minutes ago', false, { age: 4.9, ready: 'False' }],
    ['has had five minutes to boot', true, { age: 5, ready: 'False' }],
    ['is not one that has just been deleted', false, { ready: 'False', readySince: 1, deleted: 4.9 }],
    ['should have been gone for five minutes', true, { ready: 'False', readySince: 9, deleted: 5 }],
    ['is not one that is only cordoned', false, { cordoned: true }],
  ])('%s', (_title, isFound, own) => {
    expect(found({ nodes: [buildNode('sting', own)] })).toEqual(isFound ? ['not-ready sting'] : [])
  })

  it.each<readonly [string, boolean, number, number]>([
    ['has not renewed its lease for five minutes', true, 5, 0.1],
    ['is not one that renewed it since', false, 4.9, 0.1],
    ['is not known by leases that were all read long ago', false, 30, 30],
  ])('%s', (_title, isFound, own, other) => {
    const leases = [buildLease('sting', own), buildLease('honey', other)]
    expect(found({ nodes: [buildNode('sting')], leases })).toEqual(isFound ? ['not-ready sting'] : [])
  })

  it('needs a Ready condition', () => {
    expect(found({ nodes: [{ metadata: { name: 'sting' } }] })).toEqual([])
    const leases = [buildLease('sting', 30), buildLease('honey', 0.1)]
    expect(found({ nodes: [{ metadata: { name: 'sting' } }], leases })).toEqual([])
  })
})
