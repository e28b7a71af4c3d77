import { printAge } from '#/core/basics/age.ts'
import { isNeverRegistered } from '#/core/fleet/traps/never-registered.ts'
import { deleteRunner } from '#/core/interlock/policy.ts'
import type { Policy } from '#/core/interlock/policy.ts'

export const neverRegistered: Policy = {
  id: 'never-registered',
  removes: 'runners that have had no id for 5 minutes: GitHub gave no configuration for them',
  about:
    "As never-registered of the audit runtime. ARC creates another, which fails for the same reason until that is fixed: read the controller's log first.",
  github: 'gone',
  needs: ['kubernetes/ephemeralrunners'],
  propose: ({ runners, fleet }) =>
    runners
      .filter((state) => isNeverRegistered(state, fleet))
      .map((state) =>
        deleteRunner(state, [`it is ${printAge(state.runner.createdAt, fleet.now)} old and has no runner id`]),
      ),
}
