/**
 * Stuck: A job was given to a pod, and no runner was registered for it: the replica that did it went, or gave up.
 * Not caught elsewhere: Nobody else has the claim, so nobody returns it; GitHub knows nothing of it and sends no
 *   webhook.
 * Proof: By the age of the claim, or because its pod is gone. The mint is written before the JIT configuration is given
 *   out, by the same generation: one of the two wins, and the other changes nothing.
 * Threshold: The deadline of a mint (`dispatch.mintWithin`) and 30 s more, for clocks that disagree. At once if the pod
 *   is gone.
 */

import { formatDuration } from '#/core/basics/duration.ts'
import { printAge } from '#/core/basics/age.ts'
import type { Job } from '#/core/dispatch/job.ts'
import { check, jobSubject } from '#/core/recovery/recovery.ts'
import type { RecoveryLoop } from '#/core/recovery/recovery.ts'
import type { SlotPod } from '#/core/recovery/slot-pod.ts'

export type StaleClaim = {
  readonly job: Extract<Job, { state: 'claimed' }>
  /** Of exactly the slot that holds the claim. */
  readonly pod: SlotPod
  /** Above the deadline of a mint: until then a replica may still be at it. */
  readonly afterMs: number
}

export const staleClaims: RecoveryLoop<StaleClaim> = {
  id: 'stale-claims',
  decide: ({ job, pod, afterMs }, now) => {
    const { id, generation, slot, claimedAt } = job
    const isOld = now - claimedAt >= afterMs
    const age = `claimed ${printAge(claimedAt, now)} ago and not minted; the limit is ${formatDuration(afterMs)}`
    const proof = pod.isGone ? pod : { why: age, at: now }
    return {
      loop: 'stale-claims',
      act: 'release-claim',
      subject: jobSubject(job),
      since: pod.isGone ? Math.max(claimedAt, pod.at) : claimedAt,
      checks: [check('claim-stale', pod.isGone || isOld, proof, now)],
      action: {
        kind: 'record',
        happening: {
          kind: 'job-returned',
          at: now,
          job: { id, generation },
          slot,
          reason: pod.isGone ? 'slot-lost' : 'claim-stale',
        },
      },
      leavesBehind: null,
    }
  },
}
