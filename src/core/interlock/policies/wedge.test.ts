import { describe, expect, it } from 'vitest'
import { WHOLE_FLEET } from '#/core/audit/audit.ts'
import { buildRuntimeView } from '#/core/fleet/traps/view.ts'
import type { ProposedAct } from '#/core/interlock/policy.ts'
import { arcFleet } from '#test/fleets/arc-set.ts'
import type { SetCase } from '#test/fleets/arc-set.ts'
import { wedge } from './wedge.ts'

const A = 'lane-x7k2p-runner-aaaaa'
const B = 'lane-x7k2p-runner-bbbbb'
const C = 'lane-x7k2p-runner-ccccc'

const propose = (own: SetCase): readonly ProposedAct[] => wedge.propose(buildRuntimeView(arcFleet(own), WHOLE_FLEET))

describe('a wedged set', () => {
  const wedged = (version: string): SetCase => ({
    version,
    phase: 'Pending',
    listener: false,
    listenerPod: false,
    runners: [{ name: A }, { name: B }, { name: C, status: { phase: 'Failed' } }],
  })

  it('is freed up to 0.14 by scaling its EphemeralRunnerSet to 0, and names every runner that goes', () => {
    for (const version of ['0.12.1', '0.13.1', '0.14.2']) {
      const [act] = propose(wedged(version))
      expect(act).toMatchObject({
        act: 'scale-ephemeral-runner-set',
        subject: { kind: 'AutoscalingRunnerSet', namespace: 'arc', name: 'lane' },
        scales: [{ kind: 'EphemeralRunnerSet', namespace: 'arc', name: 'lane-x7k2p' }],
      })
      expect(act?.runners.map(({ runner }) => runner.name)).toEqual([A, B])
    }
  })

  it('is freed later by deleting all its idle runners at once', () => {
    const integrity = { annotations: { 'actions.github.com/integrity-hash': 'a' } }
    for (const own of [wedged('0.15.0'), { ...wedged('0.14.2'), set: integrity }]) {
      const [act] = propose(own)
      expect(act?.act).toBe('delete-ephemeral-runner')
      expect(act?.scales).toBeUndefined()
      expect(act?.runners.map(({ runner }) => runner.name)).toEqual([A, B])
    }
  })
})
