import { deleteRunner } from '#/core/interlock/policy.ts'
import type { Policy } from '#/core/interlock/policy.ts'

export const failed: Policy = {
  id: 'failed',
  removes: 'Failed runners, which count as replicas forever',
  about:
    'As failed-runners-hold-capacity of the audit runtime, one candidate per runner. Fix what refuses their pods first, or the next ones fail too.',
  github: 'gone',
  needs: ['kubernetes/ephemeralrunners'],
  propose: ({ runners }) =>
    runners
      .filter(({ runner, isDeleting }) => runner.phase === 'Failed' && !isDeleting)
      .map((state) =>
        deleteRunner(state, [
          `its phase is Failed: ${state.runner.reason ?? 'no reason'}: ${(state.runner.message ?? 'no message').slice(0, 300)}`,
        ]),
      ),
}
