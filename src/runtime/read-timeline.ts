import { aboutSubject } from '#/core/about-subject.ts'
import { readAudit } from '#/core/audit-facts.ts'
import type { AuditFacts } from '#/core/audit-facts.ts'
import { readEvent } from '#/core/event-facts.ts'
import type { EventFacts } from '#/core/event-facts.ts'
import { textAt } from '#/core/fields.ts'
import type { ClueFinder } from '#/core/find-clues.ts'
import { readLogLine, streamOf } from '#/core/log-line.ts'
import type { Observed } from '#/core/observed.ts'
import type { PodFacts } from '#/core/pod-facts.ts'
import type { Clue } from '#/core/signature.ts'
import type { Subject } from '#/core/subject.ts'
import { auditTimeline, eventTimeline, jobTimeline, mergeTimeline, podTimeline } from '#/core/timeline.ts'
import type { TimelineEntry } from '#/core/timeline.ts'
import { readVitals } from '#/core/vitals.ts'
import { vitalsTimeline } from '#/core/vitals-timeline.ts'
import type { WorkflowJobFacts } from '#/core/workflow-job-facts.ts'
import type { Bundle } from '#/ports/bundle.ts'
import type { JournalLine } from '#/ports/journal.ts'

export type Story = {
  readonly entries: readonly TimelineEntry[]
  /** Sources that could not be read, or not to their end, and why. */
  readonly blind: readonly { readonly source: string; readonly reason: string }[]
}

export type StoryRequest = {
  readonly bundle: Bundle
  readonly subject: Subject
  readonly pods: readonly PodFacts[]
  readonly jobs: readonly WorkflowJobFacts[]
  readonly find: ClueFinder
}

type Part = { readonly source: string; readonly entries: readonly TimelineEntry[]; readonly blind: string | null }

/** Everything that the bundle tells of the subject, by time, with what could not be seen. */
export async function readTimeline(request: StoryRequest): Promise<Story> {
  const { subject, pods, jobs } = request
  const job = jobs.find(({ id }) => id !== null && id === subject.jobId)
  const pod = pods.find(({ uid, name }) => name === subject.pod && uid === subject.uid)
  const parts = await Promise.all([
    eventsPart(request),
    auditPart(request),
    ...logParts(request),
    annotationsPart(request),
    journalPart(request),
  ])
  const own = [job === undefined ? [] : jobTimeline(job), pod === undefined ? [] : podTimeline(pod)]
  return {
    entries: mergeTimeline([...own, ...parts.map(({ entries }) => entries)]),
    blind: parts.flatMap(({ source, blind }) => (blind === null ? [] : [{ source, reason: blind }])),
  }
}

/** One source: what it told, or why it could not. */
function part<T>(source: string, observed: Observed<T>, read: (value: T) => readonly TimelineEntry[]): Part {
  switch (observed.kind) {
    case 'seen':
      return { source, entries: read(observed.value), blind: null }
    case 'none':
      return { source, entries: [], blind: null }
    case 'blind':
      return { source, entries: [], blind: `${observed.reason.code}: ${observed.reason.detail}` }
  }
}

async function eventsPart({ bundle, subject }: StoryRequest): Promise<Part> {
  return part('kubernetes/events', await bundle.list('events'), (events) =>
    eventTimeline(events.map(readEvent).filter((event) => isAbout(event, subject))),
  )
}

/** By UID, because a successor may have the name; events about the node say what happened to all of its pods. */
function isAbout(event: EventFacts, subject: Subject): boolean {
  if (event.kind === 'Node') return event.name === subject.node
  if (event.kind !== 'Pod' || event.name !== subject.pod) return false
  return event.uid === null || subject.uid === null || event.uid === subject.uid
}

async function auditPart({ bundle, subject }: StoryRequest): Promise<Part> {
  return part('kubernetes/audit', await bundle.audit(), ({ lines }) =>
    auditTimeline(lines.map(readAudit).filter((line) => line !== null && isAuditAbout(line, subject)) as AuditFacts[]),
  )
}

/** Reads and status reports of the kubelet are not what anybody asks about. */
function isAuditAbout({ verb, resource, subresource, namespace, name, uid }: AuditFacts, subject: Subject): boolean {
  if (subresource === 'status' || /^(?:get|list|watch)$/.test(verb)) return false
  if (resource === 'nodes') return name === subject.node && verb !== 'create'
  if (resource !== 'pods' || namespace !== subject.namespace) return false
  if (name === null) return verb === 'deletecollection'
  return name === subject.pod && (uid === null || subject.uid === null || uid === subject.uid)
}

function logParts({ bundle, subject, find }: StoryRequest): readonly Promise<Part>[] {
  const logs = bundle.logs()
  if (logs.kind !== 'seen') return []
  const own = logs.value.filter(({ namespace, pod }) => namespace === subject.namespace && pod === subject.pod)
  return own.map(async (name) => {
    const source = `logs/${name.namespace}/${name.pod}/${name.container}`
    return part(source, await bundle.log(name), (text) => logEntries(text, source, find))
  })
}

function logEntries(text: string, source: string, find: ClueFinder): readonly TimelineEntry[] {
  const lines = text.split('\n').map((raw) => readLogLine(raw))
  const vitals = lines.map((line) => readVitals(line.text)).filter((sample) => sample !== null)
  const clues = lines.flatMap(({ text: line, at }) =>
    at === null ? [] : find({ text: line, stream: 'runner-log' }).map((clue) => told(source, at, clue, line)),
  )
  return [...clues, ...vitalsTimeline(source, vitals)]
}

async function annotationsPart({ bundle, subject }: StoryRequest): Promise<Part> {
  const source = 'github/annotations'
  if (subject.jobId === null) return { source, entries: [], blind: null }
  const job = await bundle.githubJob(subject.jobId)
  const endedAt = job.kind === 'seen' ? Date.parse(textAt(job.value, 'completed_at') ?? '') : Number.NaN
  return part(source, await bundle.githubAnnotations(subject.jobId), (annotations) =>
    annotations.flatMap((annotation) => {
      const message = textAt(annotation, 'message')
      return message === null || Number.isNaN(endedAt) ? [] : [{ at: endedAt, source, fact: message }]
    }),
  )
}

async function journalPart({ bundle, subject, find }: StoryRequest): Promise<Part> {
  if (subject.node === null)
    return { source: 'journal', entries: [], blind: 'not-asked: the node of the pod is not known' }
  const source = `journal/${subject.node}`
  return part(source, await bundle.journal(subject.node, {}), ({ lines }) =>
    lines.flatMap((line) => journalEntries(line, source, { subject, find })),
  )
}

function journalEntries(
  { at, message, transport, identifier }: JournalLine,
  source: string,
  { subject, find }: Pick<StoryRequest, 'subject' | 'find'>,
): readonly TimelineEntry[] {
  const stream = transport === 'kernel' ? 'kernel' : streamOf(identifier)
  if (message === null || stream === null) return []
  return find({ text: message, stream })
    .filter((clue) => aboutSubject(clue, subject) === 'subject')
    .map((clue) => told(source, at, clue, message))
}

const SHOWN_CHARACTERS = 200

function told(source: string, at: number, { signature }: Clue, line: string): TimelineEntry {
  return { at, source, fact: `${signature}: ${line.slice(0, SHOWN_CHARACTERS)}` }
}
