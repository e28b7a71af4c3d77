import { describe, expect, it } from 'vitest'
import { WHOLE_FLEET } from '#/core/audit/audit.ts'
import { buildRuntimeView } from '#/core/fleet/traps/view.ts'
import { arcFleet } from '#test/fleets/arc-set.ts'
import type { SetCase } from '#test/fleets/arc-set.ts'
import { dropChangedWedges } from './changed-wedges.ts'
import { POLICIES } from './policies/index.ts'
import { proposeAll } from './policy.ts'

const idle = { name: 'lane-x7k2p-runner-aaaaa' }
const wedge: SetCase = { phase: 'Pending', listener: false, listenerPod: false, runners: [idle] }

function kept(before: SetCase): readonly string[] {
  const [earlier, later] = [arcFleet(before), arcFleet(wedge)]
  const proposals = proposeAll(buildRuntimeView(later, WHOLE_FLEET), POLICIES)
  return dropChangedWedges(proposals, { earlier, later }).map(({ policy }) => policy.id)
}

describe('a wedged set in two reads', () => {
  it('is proposed if nothing of it changed, beside what needs no second read', () => {
    expect(kept(wedge)).toEqual(['excess', 'wedge'])
  })

  it.each<readonly [string, SetCase]>([
    ['a runner was created', { ...wedge, runners: [] }],
    ['a runner changed', { ...wedge, runners: [{ ...idle, metadata: { resourceVersion: '0' } }] }],
    ['the set changed', { ...wedge, set: { metadata: { resourceVersion: '0' } } }],
    ['its listener was deleted', { ...wedge, listener: {} }],
  ])('is not proposed if %s', (_what, before) => {
    expect(kept(before)).toEqual(['excess'])
  })
})
