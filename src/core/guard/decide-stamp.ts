import type { Observed } from '#/core/basics/observed.ts'
import { describeReason } from '#/core/basics/observed.ts'

/**
 * The runner container by the kubelet's word. `absent`: the pod does not exist. `unknown`: the pod says nothing of it.
 */
export type RunnerLife = 'running' | 'waiting' | 'ended' | 'absent' | 'unknown'

export type StampFacts = {
  readonly isStamped: boolean
  /** The reason that a person gave. */
  readonly breakGlass: string | null
  readonly life: RunnerLife
  /** `none`: nobody keeps a record of it, or the record names no job. ARC never clears a job from its record. */
  readonly recordedJob: Observed<string>
  /** `none`: a complete list of where it is registered does not have it. */
  readonly github: Observed<{ readonly isBusy: boolean }>
}

/** `keep`: it is as it should be. `leave`: too little is known to change it. */
export type StampDecision = { readonly kind: 'keep' | 'set' | 'clear' | 'leave'; readonly why: string }

/**
 * Whether the runner should carry the stamp. What the kubelet says of its end counts most: a stamp on a runner that is done
 * or dead would hold its node. What cannot be seen changes nothing.
 */
export function decideStamp(facts: StampFacts): StampDecision {
  const { isStamped } = facts
  const { works, why } = judgeWork(facts)
  if (works === null) return { kind: 'leave', why }
  if (works === isStamped) return { kind: 'keep', why }
  return { kind: works ? 'set' : 'clear', why }
}

type Judged = { readonly works: boolean | null; readonly why: string }

function judgeWork({ breakGlass, life, recordedJob, github }: StampFacts): Judged {
  switch (life) {
    case 'absent':
      return { works: false, why: 'it has no pod' }
    case 'ended':
      return { works: false, why: 'its runner container has ended' }
    case 'waiting':
      return { works: false, why: 'its runner container does not run' }
    case 'unknown':
      return { works: null, why: 'the kubelet has not reported its runner container' }
    case 'running':
      if (breakGlass !== null) return { works: false, why: `somebody broke the glass: ${breakGlass}` }
      return judgeRunning(recordedJob, github)
  }
}

function judgeRunning(recordedJob: StampFacts['recordedJob'], github: StampFacts['github']): Judged {
  const job = recordedJob.kind === 'seen' ? recordedJob.value : null
  if (github.kind === 'seen' && github.value.isBusy) {
    return { works: true, why: job === null ? 'GitHub lists it as busy' : `it executes ${job}` }
  }
  if (github.kind === 'seen') return { works: false, why: 'GitHub lists it as not busy' }
  if (github.kind === 'none') return { works: false, why: 'GitHub does not have it any more' }
  if (job !== null) return { works: true, why: `it executes ${job}` }
  const unseen = recordedJob.kind === 'blind' ? recordedJob.reason : github.reason
  return { works: null, why: `whether it has a job could not be seen: ${describeReason(unseen)}` }
}
