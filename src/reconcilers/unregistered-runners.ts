/**
 * Stuck: A runner was minted for a job and never took it: its pod died, its node starts nothing, or the JIT
 *   configuration was lost on the way.
 * Not caught elsewhere: To us it looks like a job that runs for hours; to GitHub nothing happened, so no webhook comes.
 *   No kubelet event is needed.
 * Proof: GitHub is asked about the job. Still `queued`, and its runner absent, or offline and not busy: the job goes
 *   back. `in_progress`: it is left, and the start that no webhook reported is written down. `completed`: it is closed.
 *   An error, or an answer that is not understood: it is left and asked again.
 * Threshold: A runner registers seconds after its container starts; five minutes allow for a slow one. At once if the
 *   pod is gone, bound to the UID of that pod.
 */

import { printAge } from '#/core/basics/age.ts'
import { formatDuration } from '#/core/basics/duration.ts'
import type { Observed } from '#/core/basics/observed.ts'
import type { Job } from '#/core/dispatch/job.ts'
import type { Slot } from '#/core/dispatch/slot.ts'
import type { GateProof } from '#/core/ledger/ledger-row.ts'
import { check, jobSubject } from '#/core/recovery/recovery.ts'
import type { Recovery, RecoveryLoop } from '#/core/recovery/recovery.ts'
import { endedThere, sightOf, startedThere } from '#/core/recovery/seen-at-github.ts'
import type { JobAtGitHub, JobSight, RunnerAtGitHub } from '#/core/recovery/seen-at-github.ts'
import type { SlotPod } from '#/core/recovery/slot-pod.ts'

export type UnregisteredRunner = {
  readonly job: Extract<Job, { state: 'minted' }>
  readonly slot: Slot | null
  readonly pod: SlotPod
  readonly afterMs: number
  readonly atGitHub: Observed<JobAtGitHub>
  /** The runner of the slot. */
  readonly runner: Observed<RunnerAtGitHub>
}

export const unregisteredRunners: RecoveryLoop<UnregisteredRunner> = {
  id: 'unregistered-runners',
  decide: (candidate, now) => {
    const { job, pod, afterMs } = candidate
    const { mintedAt } = job
    const age = `minted ${printAge(mintedAt, now)} ago; the limit is ${formatDuration(afterMs)}`
    const due = check('due', pod.isGone || now - mintedAt >= afterMs, pod.isGone ? pod : { why: age, at: now }, now)
    const sight = sightOf(candidate.atGitHub, job, now)
    const plain = { loop: 'unregistered-runners', subject: jobSubject(job), leavesBehind: null } as const
    const since = pod.isGone ? Math.max(mintedAt, pod.at) : mintedAt
    switch (sight.kind) {
      case 'over': {
        const checks = [due, check('github-job', true, { why: sight.why, at: now }, now)]
        const happening = endedThere(job, sight, now)
        return { ...plain, since, act: 'close-job', checks, action: { kind: 'record', happening } }
      }
      case 'executing': {
        const checks = [due, check('github-job', true, { why: sight.why, at: now }, now)]
        const happening = startedThere(job, sight, now)
        return { ...plain, since, act: null, checks, action: { kind: 'record', happening } }
      }
      case 'waiting':
      case 'unclear':
      case 'blind':
        return whileWaiting(candidate, { sight, due, since }, now)
    }
  },
}

type Looked = { readonly sight: JobSight; readonly due: GateProof; readonly since: number }

function whileWaiting(candidate: UnregisteredRunner, looked: Looked, now: number): Recovery {
  const { job, pod } = candidate
  const { id, generation } = job
  const row = candidate.runner.kind === 'seen' ? candidate.runner.value : null
  if (looked.sight.kind === 'waiting' && row !== null && row.online && !row.busy && !pod.isGone) {
    return registered(candidate, row, looked, now)
  }
  const away = checkAway(candidate, now)
  const reason = pod.isGone ? 'slot-lost' : 'never-registered'
  return {
    loop: 'unregistered-runners',
    act: 'return-job',
    subject: jobSubject(job),
    since: looked.since,
    checks: [looked.due, checkWaiting(looked.sight, now), away],
    action: {
      kind: 'record',
      happening: { kind: 'job-returned', at: now, job: { id, generation }, slot: job.slot, reason },
    },
    leavesBehind: row !== null && away.holds === true ? { id: row.id, name: row.name } : null,
  }
}

function checkWaiting({ kind, why }: JobSight, now: number): GateProof {
  return check('github-job', kind === 'blind' ? null : kind === 'waiting', { why, at: now }, now)
}

/** It did register, and GitHub decides what it gets: the slot is not taken from it. */
function registered(
  { job, slot }: UnregisteredRunner,
  { id, name }: RunnerAtGitHub,
  { sight, due, since }: Looked,
  now: number,
): Recovery {
  const isNews = slot?.state === 'minted'
  const why = `GitHub lists runner ${id} as online and idle: it registered`
  return {
    loop: 'unregistered-runners',
    act: null,
    subject: jobSubject(job),
    since,
    checks: [due, checkWaiting(sight, now), check('news', isNews, { why, at: now }, now)],
    action: isNews ? { kind: 'record', happening: { kind: 'slot-registered', at: now, runner: { id, name } } } : null,
    leavesBehind: null,
  }
}

function checkAway({ runner, pod }: UnregisteredRunner, now: number): GateProof {
  const gate = 'runner-away'
  switch (runner.kind) {
    case 'none':
      return check(gate, true, { why: "GitHub's complete list does not have the runner", at: now }, now)
    case 'blind': {
      // GitHub says that the job waits, and its pod is gone: nothing that could take it is left.
      const why = `the runners of GitHub could not be read: ${runner.reason.detail}`
      return pod.isGone ? check(gate, true, pod, now) : check(gate, null, { why, at: now }, now)
    }
    case 'seen': {
      const { id, online, busy } = runner.value
      const why = `GitHub lists runner ${id} as ${online ? 'online' : 'offline'}, ${busy ? 'busy' : 'not busy'}`
      return check(gate, !busy && (!online || pod.isGone), { why, at: now }, now)
    }
  }
}
