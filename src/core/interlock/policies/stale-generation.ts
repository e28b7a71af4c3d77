import { findSuperseded } from '#/core/fleet/traps/superseded.ts'
import { deleteRunner } from '#/core/interlock/policy.ts'
import type { Policy } from '#/core/interlock/policy.ts'

export const staleGeneration: Policy = {
  id: 'stale-generation',
  removes: 'runners of a generation that another one replaced',
  about:
    'Up to 0.14 a set has an EphemeralRunnerSet per generation: all but the newest are replaced. Later there is one, and the revision (0.15) or the integrity-hash (development builds before it) of the runner is compared with that of its EphemeralRunnerSet. Runners that still work are refused by their gates.',
  github: 'not-busy',
  needs: ['kubernetes/autoscalingrunnersets', 'kubernetes/ephemeralrunnersets', 'kubernetes/ephemeralrunners'],
  propose: ({ sets }) =>
    sets.flatMap((own) =>
      own.states.flatMap((state) => {
        const why = findSuperseded(state, own)
        return why === null ? [] : [deleteRunner(state, [why])]
      }),
    ),
}
