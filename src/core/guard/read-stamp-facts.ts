import { blind, none, seen } from '#/core/basics/observed.ts'
import type { Blind, Observed } from '#/core/basics/observed.ts'
import { at, textAt } from '#/core/basics/fields.ts'
import { parseScope } from '#/core/fleet/github-facts.ts'
import { describeJob, recordedJob } from '#/core/github/recorded-job.ts'
import { readPod } from '#/core/kubernetes/pod-facts.ts'
import { runnerCandidates } from '#/core/kubernetes/runner-container.ts'
import { readLife } from '#/core/recorder/end-of-life.ts'
import type { RunnerLife, StampFacts } from './decide-stamp.ts'

/** One list of runners, of one place. */
export type RunnerList = {
  /** An organisation, or OWNER/NAME; in lower case. */
  readonly place: string
  /** When it was asked for. */
  readonly askedAt: number
  readonly runners: Observed<readonly { readonly name: string; readonly busy: boolean }[]>
}

/** GitHub needs a moment to list a runner as busy: a list from before, or from shortly after, proves no idleness. */
const SETTLED_MS = 120_000

const ENDED_PHASES: ReadonlySet<string | null> = new Set(['Failed', 'Succeeded', 'Outdated'])

export function readRunnerLife(object: unknown, now: number): RunnerLife {
  const pod = readPod(object)
  if (readLife(object, pod, now).kind === 'ended') return 'ended'
  const states = runnerCandidates(pod).map(({ state }) => state.kind)
  if (states.includes('running')) return 'running'
  if (pod.phase === 'Pending') return 'waiting'
  return states.length > 0 && states.every((kind) => kind !== 'unknown') ? 'waiting' : 'unknown'
}

/** A record that ARC is done with says nothing about now. */
export function readRecordedJob(record: unknown): StampFacts['recordedJob'] {
  if (record === null || ENDED_PHASES.has(textAt(record, 'status', 'phase'))) return none()
  const job = recordedJob(record)
  return job === null ? none() : seen(describeJob(job))
}

export type GitHubQuestion = {
  readonly pod: string
  /** ARC's; null for other pods. */
  readonly record: unknown
  /** When its latest sign of work was first seen, or the runner itself. */
  readonly since: number
  readonly lists: readonly RunnerList[]
}

/** By the list of the place where it is registered. Of a pod that ARC knows nothing of, the place is not known either. */
export function readGitHubSign({ pod, record, since, lists }: GitHubQuestion): StampFacts['github'] {
  if (lists.length === 0) return blind('not-asked', 'there is no credential for GitHub')
  const place = record === null ? null : readPlace(record)
  const own = place === null ? lists : lists.filter((list) => list.place === place)
  if (own.length === 0) return blind('not-asked', `GitHub was not asked for the runners of ${place ?? 'its place'}`)
  const name = (textAt(record, 'status', 'runnerName') ?? pod).toLowerCase()
  const rows = own.flatMap(({ runners }) => (runners.kind === 'seen' ? runners.value : []))
  const named = rows.filter((row) => row.name.toLowerCase() === name)
  if (named.some(({ busy }) => busy)) return seen({ isBusy: true })
  const doubt = findDoubt(own, since)
  if (doubt !== null) return doubt
  if (named.length > 0) return seen({ isBusy: false })
  return place === null ? blind('unsupported', 'no list of GitHub has its name') : none()
}

/** Why the lists prove no idleness. */
function findDoubt(lists: readonly RunnerList[], since: number): Blind | null {
  const unread = lists.find(({ runners }) => runners.kind === 'blind')?.runners
  if (unread?.kind === 'blind') return unread
  return lists.some(({ askedAt }) => askedAt - since < SETTLED_MS) ? TOO_EARLY : null
}

const TOO_EARLY: Blind = blind('expired', 'GitHub was asked too early to know')

function readPlace(record: unknown): string | null {
  const scope = parseScope(textAt(at(record, 'spec'), 'githubConfigUrl'))
  if (scope === null || scope.isEnterprise) return ''
  return (scope.repository === null ? scope.owner : `${scope.owner}/${scope.repository}`).toLowerCase()
}
