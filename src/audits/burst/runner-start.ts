import type { Fleet, Runner } from '#/core/fleet/fleet.ts'
import type { RunnerState } from '#/core/fleet/runner-state.ts'
import { conditionAs } from '#/core/kubernetes/pod-facts.ts'

/** A runner that was created but never got a pod, with the refusal message. */
export type Refusal = {
  readonly runner: Runner
  readonly by: 'quota' | 'LimitRange' | 'admission'
  readonly message: string
}

/** How long the controller may take between an EphemeralRunner and its pod. */
const POD_FOLLOWS_MS = 30_000

/**
 * Up to 0.13.0, and later for all but quotas, the EphemeralRunner is Failed with the reason. Later a quota is retried: the
 * EphemeralRunner then has an id and no phase, and only the controller's log has the message.
 */
export function findRefusal(runner: Runner, fleet: Fleet, hasQuota: boolean): Refusal | null {
  if (runner.phase === 'Failed' && runner.reason === 'InvalidPod') {
    const message = runner.message ?? 'InvalidPod'
    return { runner, message, by: findRefuser(message) }
  }
  if (!hasQuota || !isWithoutPod(runner, fleet)) return null
  return { runner, by: 'quota', message: 'it is registered but has no pod and no phase' }
}

function isWithoutPod({ phase, runnerId, pod, job, createdAt }: Runner, fleet: Fleet): boolean {
  const isBare = phase === null && runnerId !== null && pod === null && job === null
  const isOld = createdAt !== null && fleet.now - createdAt >= POD_FOLLOWS_MS
  return isBare && isOld && fleet.saw('kubernetes/pods')
}

function findRefuser(message: string): Refusal['by'] {
  if (/exceeded quota|failed quota/.test(message)) return 'quota'
  return /(?:maximum|minimum) \S+ usage per|limit to request ratio/.test(message) ? 'LimitRange' : 'admission'
}

/** The refusal in the controller's log: no object and no event has it. */
export function quotedByController({ name }: Runner, { snapshot }: Fleet): string | null {
  if (snapshot.logs.kind !== 'seen') return null
  for (const { lines } of snapshot.logs.value) {
    const line = lines.findLast(({ text }) => text.includes('exceeded quota') && text.includes(name))
    const message = /exceeded quota: [^"\\]{1,300}/.exec(line?.text ?? '')?.[0]
    if (message !== undefined) return message
  }
  return null
}

/** When it became ready: from its pod's condition, else its start. Null if unknown. */
export function readySince({ pod, startedAt }: RunnerState): number | null {
  return conditionAs(pod, 'Ready', 'True')?.since ?? startedAt
}

/** Young and without a job: unless an earlier limiter applies, it will soon take one. */
export function isStarting(state: RunnerState, { now, thresholds }: Fleet): boolean {
  const { runner, pod } = state
  const since = pod?.createdAt ?? runner.createdAt
  return state.isLive && runner.ready !== true && !state.hasJob && since !== null && now - since < thresholds.podStart
}
