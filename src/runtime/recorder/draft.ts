import type { BundleMeta, BundleSubject } from '#/core/evidence/bundle-meta.ts'
import { bundlePath } from '#/core/evidence/bundle-path.ts'
import type { BlindReason, Observed } from '#/core/basics/observed.ts'
import { knownRunnerContainer, runnerCandidates } from '#/core/kubernetes/runner-container.ts'
import type { BundleFile } from '#/ports/bundle.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'
import { createAnswers } from '#/runtime/collect/request/answers.ts'
import type { Answers } from '#/runtime/collect/request/answers.ts'
import { goneLog, judgeLogs } from '#/runtime/collect/pods/container-logs.ts'
import { withLastSeen } from '#/runtime/collect/lists/last-seen.ts'
import { listFile } from '#/runtime/collect/lists/list-file.ts'
import { planContainers } from '#/runtime/collect/request/targets.ts'
import { plannedRunner } from '#/runtime/collect/request/targets.ts'
import type { EndedPod } from './ended-pod.ts'
import type { HeardLog } from './log-followers.ts'

/** The bundle of one death while it is being collected. */
export type Draft = {
  readonly files: Map<string, BundleFile>
  readonly answers: Answers
  readonly meta: (more?: Partial<BundleSubject>) => BundleMeta
}

/** What is in memory when a pod ends, without any request. */
export type InHand = {
  readonly events: readonly KubeObject[]
  readonly watching: EventWatch
  readonly heard: Observed<HeardLog>
}

/** The time over which events were watched. */
export type EventWatch = {
  readonly from: number | null
  readonly blindSince: number | null
  readonly reason: BlindReason | null
}

export function startDraft(pod: EndedPod, inHand: InHand): Draft {
  const answers = createAnswers()
  const files = new Map<string, BundleFile>()
  const draft: Draft = {
    files,
    answers,
    meta: (more = {}) => ({
      collectedAt: pod.foundAt,
      subject: { ...buildSubject(pod), ...more },
      sources: answers.sources(),
    }),
  }
  addPod(draft, pod)
  addEvents(draft, inHand)
  const container = pickRunnerContainer(pod)
  if (container !== null) addRunnerLog(draft, pod, { container, heard: pickLog(pod, inHand.heard) })
  return draft
}

/**
 * Whose log is kept as it comes: of several that may be the runner's the first, which is also the one that is followed.
 * The logs of the others are read at the end.
 */
export function pickRunnerContainer({ object, facts }: EndedPod): string | null {
  const containers = planContainers(object)
  return runnerCandidates(facts)[0]?.name ?? plannedRunner(containers) ?? containers[0]?.name ?? null
}

/** The log of a missed pod cannot have been followed. */
function pickLog({ missed, facts }: EndedPod, heard: Observed<HeardLog>): Observed<HeardLog> {
  return missed && heard.kind === 'blind' ? { kind: 'blind', reason: goneLog(facts.name) } : heard
}

function addPod({ files, answers }: Draft, pod: EndedPod): void {
  const { object, isGone, seenAt, gap } = pod
  const kept = isGone ? withLastSeen([], { pod: object, at: seenAt }) : [object]
  const { file } = listFile('pods', kept)
  files.set(file.path, file)
  const remarks = [
    'only this pod',
    isGone ? 'as it was last seen' : null,
    gap === null
      ? null
      : `nothing was watching${pod.missed ? '' : ', it seems,'} when it went: ${gap.code}: ${gap.detail}`,
  ].filter((text) => text !== null)
  answers.looked('kubernetes/pods', { remark: remarks.join('; ') })
}

export function addEvents({ files, answers }: Draft, { events, watching }: Pick<InHand, 'events' | 'watching'>): void {
  const { from, blindSince, reason } = watching
  if (from === null) {
    answers.blind('kubernetes/events', reason ?? { code: 'not-asked', detail: 'the events were not listed yet' })
    return
  }
  const { file } = listFile('events', events)
  files.set(file.path, file)
  const remark =
    reason === null ? 'of this pod and its node' : `of this pod and its node; ${reason.code}: ${reason.detail}`
  answers.looked('kubernetes/events', { from, ...(blindSince === null ? {} : { to: blindSince }), remark })
}

export function addRunnerLog(
  { files, answers }: Draft,
  { facts: { namespace, name, containers } }: EndedPod,
  { container, heard }: { readonly container: string; readonly heard: Observed<HeardLog> },
): void {
  const state = containers.find((one) => one.name === container)?.state
  const startedAt = state?.kind === 'running' || state?.kind === 'terminated' ? state.startedAt : null
  const answer = judgeLogs(heard, null, { startedAt })
  const source = `logs/${namespace}/${name}/${container}`
  if (answer.kind === 'blind') return answers.blind(source, answer.reason)
  const path = bundlePath.log({ namespace, pod: name, container, previous: false })
  files.set(path, { path, content: heard.kind === 'seen' ? heard.value.text : '' })
  const lost = heard.kind === 'seen' ? heard.value.lost : undefined
  if (lost === undefined) return answers.looked(source, { from: answer.from, remark: answer.remark })
  const silence = `the log stream was lost: ${lost.reason.code}: ${lost.reason.detail}`
  const remark = answer.remark === null ? silence : `${answer.remark}; ${silence}`
  return answers.looked(source, { from: answer.from, to: lost.since, remark })
}

function buildSubject(pod: EndedPod): BundleSubject {
  const { uid, facts, object } = pod
  const container = knownRunnerContainer(facts)?.name ?? plannedRunner(planContainers(object))
  return {
    namespace: facts.namespace,
    pod: facts.name,
    uid,
    ...(facts.node === null ? {} : { node: facts.node }),
    ...(container === null ? {} : { container }),
  }
}
