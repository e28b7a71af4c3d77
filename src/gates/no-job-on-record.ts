import { blind, none, seen } from '#/core/basics/observed.ts'
import type { JobRecord } from '#/core/interlock/candidate-snapshot.ts'
import { EXAMPLE_CANDIDATE } from '#/core/interlock/example-candidate.ts'
import { cannotSee, holds, refuses } from '#/core/interlock/gate.ts'
import type { Gate } from '#/core/interlock/gate.ts'
import { readAt } from '#/core/interlock/reading.ts'

const { now } = EXAMPLE_CANDIDATE
const withRecord = (change: Partial<JobRecord>) => ({
  record: readAt(now, seen({ job: null, slot: null, mark: null, ...change })),
})

function findJob({ job, slot, mark }: JobRecord): string | null {
  if (job !== null) return `the object names ${job}`
  if (slot !== null) return `slot ${slot} has a job`
  return mark === null ? null : `it has ${mark}`
}

export const noJobOnRecord: Gate = {
  id: 'no-job-on-record',
  proof: 'no job field on the object, no slot, no label or annotation of ours',
  about:
    "Any job field of the EphemeralRunner counts: which of them ARC sets depends on its version. ARC never clears them, so a runner whose job has ended is refused here too. The set's listener writes them: while it is down, a runner with a job looks jobless here, and only GitHub and the processes can show the job.",
  toSeeIt: 'grant list on ephemeralrunners (deploy/observe/clusterrole.yaml)',
  check: ({ record, listener }) => {
    const { observed } = record
    if (observed.kind === 'blind') return cannotSee(observed.reason, record)
    const job = observed.kind === 'none' ? null : findJob(observed.value)
    if (job !== null) return refuses(job, record)
    const isDown = listener.observed.kind === 'seen' && listener.observed.value.isDown
    return holds(
      `no job field is set${isDown ? '; its listener, which would set it, is down, so this alone proves nothing' : ''}`,
      record,
    )
  },
  examples: {
    holds: [
      { when: 'no job field is set', candidate: {} },
      { when: 'there is no record of it', candidate: { record: readAt(now, none()) } },
      {
        when: 'no job field is set and the listener is down',
        candidate: {
          listener: readAt(now, seen({ condition: 'missing', isDown: true, evidence: 'no AutoscalingListener' })),
        },
      },
    ],
    refuses: [
      { when: 'the EphemeralRunner names a job', candidate: withRecord({ job: 'job "build" of example-org/app' }) },
      { when: 'a slot of ours has a job', candidate: withRecord({ slot: '11111111-1111-4111-8111-111111111111' }) },
      { when: 'it has an annotation of ours', candidate: withRecord({ mark: 'signalbox.dev/slot' }) },
    ],
    blind: [{ when: 'the object could not be read', candidate: { record: readAt(now, blind('forbidden', '403')) } }],
  },
}
