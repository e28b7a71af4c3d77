import { isFreedByScaling } from '#/core/fleet/arc-version.ts'
import type { SetView } from '#/core/fleet/traps/view.ts'
import type { Policy, ProposedAct } from '#/core/interlock/policy.ts'

/** Up to 0.14 the EphemeralRunnerSets are scaled to 0; later ARC would refill them, so all their runners are deleted at once. */
function freeSet({ set, key, rollover, runnerSets }: SetView): readonly ProposedAct[] {
  if (rollover.kind !== 'wedged') return []
  const scales = runnerSets
    .filter(({ deletedAt }) => deletedAt === null)
    .map(({ namespace, name }) => ({ kind: 'EphemeralRunnerSet', namespace, name }))
  const isScaled = isFreedByScaling(set.generation) && scales.length > 0
  return [
    {
      act: isScaled ? 'scale-ephemeral-runner-set' : 'delete-ephemeral-runner',
      subject: { kind: 'AutoscalingRunnerSet', namespace: set.namespace, name: set.name },
      setKey: key,
      runners: rollover.blockers,
      because: rollover.evidence,
      ...(isScaled ? { scales } : {}),
    },
  ]
}

export const wedge: Policy = {
  id: 'wedge',
  removes: 'all idle runners of a set whose rollover waits for them forever',
  about:
    'As rollover-wedged of the audit runtime, one candidate per set. The gates are checked for every runner that blocks the set, and the cap must have room for all of them: of a part ARC makes new ones within seconds. Up to 0.14 the EphemeralRunnerSet is scaled to 0, later its idle runners are deleted at once. A set in which one runner has a job is not wedged: it waits for that job.',
  github: 'not-busy',
  needs: [
    'kubernetes/autoscalingrunnersets',
    'kubernetes/autoscalinglisteners',
    'kubernetes/ephemeralrunnersets',
    'kubernetes/ephemeralrunners',
  ],
  propose: ({ sets }) => sets.flatMap(freeSet),
}
