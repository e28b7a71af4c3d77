import { printAge } from '#/core/basics/age.ts'
import { describeGitHubStatus } from '#/core/fleet/github-status.ts'
import { isLeftOver } from '#/core/fleet/traps/left-over.ts'
import { deleteRunner } from '#/core/interlock/policy.ts'
import type { Policy } from '#/core/interlock/policy.ts'

export const offline: Policy = {
  id: 'offline',
  removes: 'runners that have run and that GitHub lists as offline or not at all',
  about:
    'A runner that waits for an image, a node or quota, that crashes at its start or never registered is offline too, but ARC would only create another: it is not proposed. Nor is one that is younger than two minutes, which has not connected yet. With GitHub blind there are no candidates.',
  github: 'gone',
  needs: ['kubernetes/ephemeralrunners', 'kubernetes/pods', 'github/runners'],
  propose: ({ runners, fleet }) =>
    runners
      .filter((state) => isLeftOver(state, fleet))
      .filter(({ runner }) => fleet.now - (runner.createdAt ?? 0) > fleet.thresholds.justStarted)
      .map((state) =>
        deleteRunner(state, [
          describeGitHubStatus(state.github),
          `it is ${printAge(state.runner.createdAt, fleet.now)} old and its pod has run`,
        ]),
      ),
}
