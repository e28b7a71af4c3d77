import { findExcess } from '#/core/fleet/traps/excess.ts'
import { deleteRunner } from '#/core/interlock/policy.ts'
import type { Policy } from '#/core/interlock/policy.ts'

export const excess: Policy = {
  id: 'excess',
  removes: 'idle runners above the desired count of their EphemeralRunnerSet, oldest first',
  about:
    'As many idle runners are proposed as there are above `replicas`. ARC trims them itself after a poll in which nothing happened: while jobs run under a working listener that has not reported such a poll (its patchID is not 0), more than the desired count is normal, and none is proposed.',
  github: 'not-busy',
  needs: ['kubernetes/autoscalingrunnersets', 'kubernetes/ephemeralrunnersets', 'kubernetes/ephemeralrunners'],
  propose: ({ sets }) =>
    sets.flatMap((own) =>
      findExcess(own).flatMap(({ runnerSet, live, idle }) =>
        idle.map((state) =>
          deleteRunner(state, [`${runnerSet.name} wants ${runnerSet.replicas} runners and has ${live}; it is idle`]),
        ),
      ),
    ),
}
