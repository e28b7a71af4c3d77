import { blind, none, seen } from '#/core/basics/observed.ts'
import { EXAMPLE_CANDIDATE } from '#/core/interlock/example-candidate.ts'
import { cannotSee, holds, refuses } from '#/core/interlock/gate.ts'
import type { Gate } from '#/core/interlock/gate.ts'
import { readAt } from '#/core/interlock/reading.ts'

const { now } = EXAMPLE_CANDIDATE

export const githubDeregistered: Gate = {
  id: 'github-deregistered',
  proof: 'GitHub accepted the removal (it refuses a busy runner)',
  about:
    "GitHub's own refusal to remove a busy runner is the last proof before a delete: after the removal it can hand out no job to the runner. The act asks for it; a dry run does not, and shows the gate as open. A runner that GitHub does not have needs no removal.",
  toSeeIt: 'give a GitHub credential that may remove runners (docs/configuration.md)',
  isStep: true,
  check: ({ deregistration }) => {
    const { observed } = deregistration
    if (observed.kind === 'blind') return cannotSee(observed.reason, deregistration)
    if (observed.kind === 'none') return holds('GitHub has no such runner: there is nothing to remove', deregistration)
    const { isAccepted, answer } = observed.value
    return isAccepted
      ? holds(`GitHub removed it: ${answer}`, deregistration)
      : refuses(`GitHub refused to remove it: ${answer}`, deregistration)
  },
  examples: {
    holds: [
      {
        when: 'GitHub removed it',
        candidate: { deregistration: readAt(now, seen({ isAccepted: true, answer: '204' })) },
      },
      { when: 'GitHub does not have it', candidate: { deregistration: readAt(now, none()) } },
    ],
    refuses: [
      {
        when: 'GitHub says that it runs a job',
        candidate: {
          deregistration: readAt(
            now,
            seen({ isAccepted: false, answer: '422: Runner is currently running a job and cannot be deleted' }),
          ),
        },
      },
    ],
    blind: [
      { when: 'the act has not asked GitHub yet', candidate: {} },
      {
        when: 'GitHub did not answer',
        candidate: { deregistration: readAt(now, blind('timeout', 'GitHub did not answer within 30s')) },
      },
    ],
  },
}
