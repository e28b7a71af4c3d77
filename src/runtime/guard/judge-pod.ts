import { blind } from '#/core/basics/observed.ts'
import { decideStamp } from '#/core/guard/decide-stamp.ts'
import type { StampDecision, StampFacts } from '#/core/guard/decide-stamp.ts'
import { readGitHubSign, readRecordedJob, readRunnerLife } from '#/core/guard/read-stamp-facts.ts'
import type { RunnerList } from '#/core/guard/read-stamp-facts.ts'
import { isStamped, readBreakGlass } from '#/core/guard/stamp.ts'
import { isOfArc } from '#/core/recorder/pool-name.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'
import type { RunnerView } from './runner-view.ts'

/** When the latest sign of each runner was first seen, which GitHub's lists have to be later than. */
export type SignTimes = {
  readonly since: (pod: string, job: string | null, now: number) => number
  readonly forgetAllBut: (pods: ReadonlySet<string>) => void
}

export function createSignTimes(): SignTimes {
  const signs = new Map<string, { readonly job: string | null; readonly at: number }>()
  return {
    since: (pod, job, now) => {
      const known = signs.get(pod)
      if (known !== undefined && known.job === job) return known.at
      signs.set(pod, { job, at: now })
      return now
    },
    forgetAllBut: (pods) => {
      for (const pod of signs.keys()) if (!pods.has(pod)) signs.delete(pod)
    },
  }
}

export type JudgeMeans = {
  readonly view: RunnerView
  readonly signs: SignTimes
  readonly lists: readonly RunnerList[]
  readonly now: number
}

/** What is to be done with the pod, and with ARC's record of it. */
export type JudgedPod = {
  readonly pod: StampDecision
  readonly record: { readonly object: KubeObject; readonly decision: StampDecision } | null
}

export function judgePod(pod: KubeObject, { view, signs, lists, now }: JudgeMeans): JudgedPod {
  const { name, namespace = '', uid } = pod.metadata
  const record = view.recordOfPod(pod)
  const recordedJob = readJob(pod, record, view)
  const life = view.isWatching('pods', namespace) ? readRunnerLife(pod, now) : 'unknown'
  const job = recordedJob.kind === 'seen' ? recordedJob.value : null
  const since = life === 'running' ? signs.since(uid, job, now) : now
  const facts = {
    breakGlass: readBreakGlass(pod) ?? readBreakGlass(record),
    life,
    recordedJob,
    github: readGitHubSign({ pod: name, record, since, lists }),
  }
  return {
    pod: decideStamp({ ...facts, isStamped: isStamped(pod) }),
    record:
      record === null ? null : { object: record, decision: decideStamp({ ...facts, isStamped: isStamped(record) }) },
  }
}

/** A job that was seen stays on the record, also while the watch is broken. That there is none must be seen now. */
function readJob(pod: KubeObject, record: KubeObject | null, view: RunnerView): StampFacts['recordedJob'] {
  const job = readRecordedJob(record)
  if (job.kind === 'seen' || !isOfArc(pod) || view.isWatching('runners', pod.metadata.namespace ?? '')) return job
  return blind('unreachable', "ARC's records of runners are not watched now")
}
