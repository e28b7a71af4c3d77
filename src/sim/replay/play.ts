import { readAuditLogLine } from '#/core/kubernetes/audit-log-facts.ts'
import { bundlePath, parseLogPath } from '#/core/evidence/bundle-path.ts'
import { readEvent } from '#/core/kubernetes/event-facts.ts'
import { toFields, textAt, timeAt } from '#/core/basics/fields.ts'
import type { Fields } from '#/core/basics/fields.ts'
import { arcRecord, ownedBy } from './arc-record.ts'
import { readJobDocuments } from './github-documents.ts'
import type { JobDocuments } from './github-documents.ts'
import { podLife } from './pod-life.ts'
import type { PodPhase } from './pod-life.ts'
import { readItems, splitLines, readMeta, readPod } from './recording.ts'
import type { Recording } from './recording.ts'

/** Something that was written at a time. */
export type Written = { readonly at: number; readonly text: string }

/** One runner in the replay: everything the simulated world shows of it, and when. */
export type Play = {
  /** Of the recording; null for a runner that lives and ends well. */
  readonly recording: string | null
  readonly namespace: string
  readonly pod: string
  readonly uid: string
  readonly node: string | null
  readonly phases: readonly PodPhase[]
  readonly events: readonly { readonly at: number; readonly object: Fields }[]
  /** ARC's record of the runner, while its pod stands. */
  readonly record: Fields | null
  /** Null where the node is gone, or was never there. */
  readonly nodeObject: Fields | null
  /** By container. A log that is not here was not recorded. */
  readonly logs: ReadonlyMap<string, readonly Written[]>
  readonly audit: readonly Written[]
  /** Read when somebody asks: a journal is longer than all the rest. */
  readonly host: () => HostEvidence | null
  readonly job: JobDocuments | null
  /** When the end becomes visible, and when it is no longer queried. */
  readonly endsAt: number
  readonly overAt: number
}

/** What the node's own agent would have read. */
export type HostEvidence = {
  readonly journal: readonly Written[]
  readonly files: ReadonlyMap<string, string>
  /** By container; the pod's own under `_pod`, the runner's under the empty name. */
  readonly cgroups: ReadonlyMap<string, ReadonlyMap<string, string>>
}

/** How long a runner of a replay may take to start: nobody wants to watch a pod wait for five minutes. */
export const STARTS_WITHIN_MS = 15_000

const ASKED_ABOUT_MS = 120_000
const GIVEN_UP_AFTER_MS = 30_000
/** The API server's watchers wait so long for a node beyond the grace of a deletion. */
const OVERDUE_MS = 30_000

export function isOfHost(path: string): boolean {
  return /^(?:journal|cgroup|host)\//.test(path)
}

/** Turns a renamed recording into events of the replay; the node's evidence may follow later. */
export function createPlay(recording: Recording, onHost: () => Recording = () => recording): Play {
  const { subject, collectedAt } = readMeta(recording)
  const { namespace = '', uid = '', pod = '' } = subject
  const last = readPod(recording)
  const audit = timed(
    splitLines(recording.files.get(bundlePath.audit)),
    (line) => readAuditLogLine(JSON.parse(line))?.at ?? null,
  )
  const asked = findDeletion(audit, { namespace, pod, last })
  const job = readJobDocuments(recording)
  const phases = podLife(ownedBy(last, job), asked)
  const endsAt = findEnd(phases) ?? waitsUntil(last) ?? collectedAt
  const node = textAt(last, 'spec', 'nodeName')
  return {
    recording: recording.name,
    namespace,
    pod,
    uid,
    node,
    phases: asked.removedAt === null ? [...phases, { at: endsAt + GIVEN_UP_AFTER_MS, object: null }] : phases,
    events: readEvents(recording, { uid, node }),
    record: arcRecord(last, job),
    nodeObject: fieldsOrNull(readItems(recording, 'nodes').find((one) => textAt(one, 'metadata', 'name') === node)),
    logs: readLogs(recording, { namespace, pod }),
    audit,
    host: node === null ? () => null : once(() => readHost(onHost(), { namespace, pod, node })),
    job,
    endsAt,
    overAt: endsAt + ASKED_ABOUT_MS,
  }
}

function fieldsOrNull(value: unknown): Fields | null {
  return value === undefined ? null : toFields(value)
}

/** When the API server says for the first time that it is over; null where it never does. */
function findEnd(phases: readonly PodPhase[]): number | null {
  const ended = phases.find(({ object }) => {
    return object === null || /^(?:Failed|Succeeded)$/.test(textAt(object, 'status', 'phase') ?? '')
  })
  return ended?.at ?? null
}

/** When whoever watches has waited long enough for a pod that says nothing more: to go, or to start. */
function waitsUntil(last: object): number | null {
  const deletedAt = timeAt(last, 'metadata', 'deletionTimestamp')
  if (deletedAt !== null) return deletedAt + OVERDUE_MS
  const createdAt = timeAt(last, 'metadata', 'creationTimestamp')
  return textAt(last, 'status', 'phase') === 'Pending' && createdAt !== null ? createdAt + STARTS_WITHIN_MS : null
}

type Subject = { readonly namespace: string; readonly pod: string }

/** By the audit log, which knows it to the millisecond; where it says nothing, by the pod. */
function findDeletion(
  audit: readonly Written[],
  { namespace, pod, last }: Subject & { readonly last: object },
): { readonly askedAt: number | null; readonly removedAt: number | null } {
  const deletedAt = timeAt(last, 'metadata', 'deletionTimestamp')
  if (deletedAt === null) return { askedAt: null, removedAt: null }
  const wishes = audit.filter(({ text }) => {
    const line = readAuditLogLine(JSON.parse(text))
    if (line?.resource !== 'pods' || line.namespace !== namespace || line.name !== pod) return false
    const asksForEnd = line.verb === 'delete' || (line.verb === 'create' && line.subresource === 'eviction')
    return asksForEnd && (line.status ?? 0) < 300
  })
  const wasRemoved = textAt(last, 'metadata', 'annotations', 'signalbox.dev/last-seen') !== null
  const removedAt = wasRemoved ? Math.max(deletedAt, wishes.at(-1)?.at ?? 0) : null
  return { askedAt: wishes[0]?.at ?? (wasRemoved ? null : deletedAt - OVERDUE_MS), removedAt }
}

function readEvents(
  recording: Recording,
  { uid, node }: { readonly uid: string; readonly node: string | null },
): Play['events'] {
  return readItems(recording, 'events').flatMap((one) => {
    const event = readEvent(one)
    const isOurs = event.uid === uid || (event.kind === 'Node' && node !== null && event.name === node)
    return isOurs ? [{ at: event.lastAt ?? 0, object: toFields(one) }] : []
  })
}

const LOG_TIME = /^(\d{4}-\d\d-\d\dT[\d:.]+Z) /

function readLogs({ files }: Recording, { namespace, pod }: Subject): Play['logs'] {
  const logs = [...files].flatMap(([path, text]) => {
    const log = parseLogPath(path)
    if (log === null || log.namespace !== namespace || log.pod !== pod) return []
    const key = log.previous ? `${log.container}.previous` : log.container
    return [[key, timed(splitLines(text), (line) => Date.parse(LOG_TIME.exec(line)?.[1] ?? ''))] as const]
  })
  return new Map(logs)
}

function readHost(
  { files }: Recording,
  { namespace, pod, node }: Subject & { readonly node: string },
): HostEvidence | null {
  const text = files.get(bundlePath.journalJson(node))
  if (text === undefined) return null
  const cgroups = new Map<string, Map<string, string>>()
  const below = `${bundlePath.cgroup({ namespace, pod, container: null })}/`
  for (const [path, content] of files) {
    if (!path.startsWith(below)) continue
    const [first = '', second] = path.slice(below.length).split('/')
    const container = second === undefined ? '' : first
    const own = cgroups.get(container) ?? new Map<string, string>()
    cgroups.set(container, own.set(second ?? first, content))
  }
  const host = bundlePath.host(node, '')
  const hostFiles = [...files].flatMap(([path, content]) => {
    return path.startsWith(host) ? [[path.slice(host.length), content] as const] : []
  })
  const journal = timed(splitLines(text), (line) => Number(/"__REALTIME_TIMESTAMP":"(\d+)"/.exec(line)?.[1]) / 1000)
  return { journal, files: new Map(hostFiles), cgroups }
}

function once<T>(read: () => T): () => T {
  let known: { readonly value: T } | null = null
  return () => (known ??= { value: read() }).value
}

/** Lines whose time cannot be read belong to the line before. */
function timed(lines: readonly string[], readTime: (line: string) => number | null): readonly Written[] {
  let last = 0
  return lines.map((text) => {
    const at = readTime(text)
    if (at !== null && !Number.isNaN(at)) last = at
    return { at: last, text }
  })
}
