import type { BundleMeta, BundleSubject, SourceAnswer } from '#/core/evidence/bundle-meta.ts'
import { parseJson } from '#/core/evidence/bundle-json.ts'
import { bundlePath } from '#/core/evidence/bundle-path.ts'
import { listAt, textAt } from '#/core/basics/fields.ts'
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
import type { Collected, InHandMark } from './held-evidence.ts'
import type { HeardLog } from './watching/log-followers.ts'

/** The bundle of one death while it is being collected. */
export type Draft = {
  /** New since the evidence was last stored, and not redacted yet. */
  readonly files: Map<string, BundleFile>
  /** Stored before, by this process or the one before us. */
  readonly before: Collected | null
  readonly answers: Answers
  /** Answers of sources that were read on their own (`readSource`). */
  readonly absorbed: Map<string, SourceAnswer>
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

/** From what is in memory, and what was stored before where that is given. */
export function startDraft(pod: EndedPod, inHand: InHand, before: Collected | null = null): Draft {
  const answers = createAnswers()
  const absorbed = new Map<string, SourceAnswer>()
  const sources = () =>
    [absorbed, answers.sources()].reduce(mergeSources, before?.meta.sources ?? new Map<string, SourceAnswer>())
  const draft: Draft = {
    files: new Map(),
    before,
    answers,
    absorbed,
    meta: (more = {}) => ({
      collectedAt: before?.meta.collectedAt ?? pod.foundAt,
      subject: { ...buildSubject(pod), ...before?.meta.subject, ...more },
      sources: sources(),
    }),
  }
  if (before === null) addPod(draft, pod)
  addEvents(draft, inHand)
  addHeardLog(draft, pod, inHand)
  return draft
}

/** A source that was read once stays read, even if it cannot be read again. */
function mergeSources(before: BundleMeta['sources'], added: BundleMeta['sources']): BundleMeta['sources'] {
  const merged = new Map(before)
  for (const [source, answer] of added) {
    if (answer.kind === 'looked' || !saysMore(merged.get(source), answer)) merged.set(source, answer)
  }
  return merged
}

/** That nothing was read this time does not replace the reason why it could not be read before. */
function saysMore(before: SourceAnswer | undefined, answer: SourceAnswer): boolean {
  if (before === undefined || before.kind === 'looked') return before !== undefined
  const isUnread = answer.kind === 'blind' && answer.reason.startsWith('not-asked')
  return isUnread && before.kind === 'blind' && !before.reason.startsWith('not-asked')
}

export function hasLooked({ answers, absorbed, before }: Draft, source: string): boolean {
  return [answers.sources(), absorbed, before?.meta.sources].some((sources) => sources?.get(source)?.kind === 'looked')
}

/** Of a file that is there already, 0 without one: a failing node may return less than the log follower has. */
export function lengthOf({ files, before }: Draft, path: string): number {
  const content = files.get(path)?.content ?? before?.files.get(path)
  return typeof content === 'string' || content instanceof Uint8Array ? content.length : 0
}

/** The log as it was followed, where it has grown. */
export function addHeardLog(draft: Draft, pod: EndedPod, inHand: Pick<InHand, 'heard'>): void {
  const container = pickRunnerContainer(pod)
  if (container === null) return
  const heard = pickLog(pod, inHand.heard)
  const { namespace, name } = pod.facts
  const isKnown = hasLooked(draft, `logs/${namespace}/${name}/${container}`)
  if (isKnown && lengthOfHeard(heard) <= (draft.before?.inHand?.logLength ?? 0)) return
  addRunnerLog(draft, pod, { container, heard })
}

/** So that the next step sees what has changed in memory since. */
export function markInHand({ events, heard }: Pick<InHand, 'events' | 'heard'>): InHandMark {
  return { logLength: lengthOfHeard(heard), events: markEvents(events) }
}

function lengthOfHeard(heard: Observed<HeardLog>): number {
  return heard.kind === 'seen' ? heard.value.text.length : 0
}

function markEvents(events: readonly KubeObject[]): string {
  return events.map(({ metadata: { uid, resourceVersion } }) => `${uid}@${resourceVersion}`).join()
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

const EVENTS = 'kubernetes/events'

export function addEvents(draft: Draft, { events, watching }: Pick<InHand, 'events' | 'watching'>): void {
  const { files, answers, before } = draft
  const { from, blindSince, reason } = watching
  if (from === null) {
    answers.blind(EVENTS, reason ?? { code: 'not-asked', detail: 'the events were not listed yet' })
    return
  }
  const { file } = listFile('events', events)
  const stored = before?.files.get(file.path)
  if (stored === undefined) files.set(file.path, file)
  else if (before?.inHand?.events !== markEvents(events)) {
    files.set(file.path, listFile('events', withStored(events, stored)).file)
  }
  const remark =
    reason === null ? 'of this pod and its node' : `of this pod and its node; ${reason.code}: ${reason.detail}`
  const covered = Math.min(from, eventsBefore(before) ?? from)
  answers.looked(EVENTS, { from: covered, ...(blindSince === null ? {} : { to: blindSince }), remark })
}

function eventsBefore(before: Collected | null): number | null {
  const known = before?.meta.sources.get(EVENTS)
  return known?.kind === 'looked' ? known.coverage.from : null
}

/** The process before us may have seen events that the API server no longer has. */
function withStored(events: readonly KubeObject[], stored: Uint8Array): readonly KubeObject[] {
  const reading = parseJson(new TextDecoder().decode(stored))
  const known = new Set(events.map(({ metadata }) => metadata.uid))
  const older = reading.kind === 'parsed' ? listAt(reading.value, 'items') : []
  const isMissing = (event: unknown): boolean => {
    const uid = textAt(event, 'metadata', 'uid')
    return uid !== null && !known.has(uid)
  }
  return [...(older.filter(isMissing) as readonly KubeObject[]), ...events]
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
