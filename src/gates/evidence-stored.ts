import { blind, none, seen } from '#/core/basics/observed.ts'
import { EXAMPLE_CANDIDATE } from '#/core/interlock/example-candidate.ts'
import { cannotSee, holds, refuses } from '#/core/interlock/gate.ts'
import type { Gate } from '#/core/interlock/gate.ts'
import { readAt } from '#/core/interlock/reading.ts'

const { now } = EXAMPLE_CANDIDATE

export const evidenceStored: Gate = {
  id: 'evidence-stored',
  proof: 'the post-mortem of what goes is in the store (or in the file named by `--evidence`)',
  about:
    'What is removed can no longer be read. So the evidence is stored before the delete, and the delete waits for it. The act stores it; a dry run does not, and shows the gate as open.',
  toSeeIt: 'run where signalbox serve has its store, or name a folder with --evidence',
  isStep: true,
  check: ({ evidence }) => {
    const { observed } = evidence
    if (observed.kind === 'blind') return cannotSee(observed.reason, evidence)
    return observed.kind === 'none'
      ? refuses('its evidence is not stored', evidence)
      : holds(`its evidence is stored: ${observed.value}`, evidence)
  },
  examples: {
    holds: [{ when: 'its evidence is in the store', candidate: { evidence: readAt(now, seen('death 4711')) } }],
    refuses: [{ when: 'the store has no evidence of it', candidate: { evidence: readAt(now, none()) } }],
    blind: [
      { when: 'the act has not stored it yet', candidate: {} },
      {
        when: 'the store does not answer',
        candidate: { evidence: readAt(now, blind('unreachable', 'the store does not answer')) },
      },
    ],
  },
}
