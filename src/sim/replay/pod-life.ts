import { at, toFields, listAt, numberAt, textAt, timeAt } from '#/core/basics/fields.ts'
import type { Fields } from '#/core/basics/fields.ts'

/** A state of a pod and since when the API server has it; a null object is its removal. */
export type PodPhase = { readonly at: number; readonly object: Fields | null }

/** What a pod's own object does not say of its life. */
export type Surrounding = {
  /** When somebody asked for its deletion, and when it was removed; null where nobody did. */
  readonly askedAt: number | null
  readonly removedAt: number | null
}

const SCHEDULED_AFTER_MS = 100
const DEFAULT_GRACE = 30
const LAST_SEEN = 'signalbox.dev/last-seen'

/**
 * The states of a pod, derived from its last one: created, scheduled, running, deletion requested, ended,
 * removed. Each writes only what was known at its time.
 */
export function podLife(last: object, { askedAt, removedAt }: Surrounding): readonly PodPhase[] {
  const pod = withoutRemark(toFields(last))
  const createdAt = timeAt(pod, 'metadata', 'creationTimestamp') ?? 0
  const startedAt = findStart(pod, createdAt)
  const phases: PodPhase[] = [{ at: createdAt, object: podAt(pod, createdAt, pendingStatus(pod, false)) }]
  const scheduledAt = createdAt + SCHEDULED_AFTER_MS
  if (isOnNode(pod)) phases.push({ at: scheduledAt, object: podAt(pod, scheduledAt, pendingStatus(pod, true)) })
  if (startedAt !== null) phases.push({ at: startedAt, object: podAt(pod, startedAt, runningStatus(pod, startedAt)) })
  const endedAt = Math.max(scheduledAt + 1, startedAt ?? 0, lastWordAt(pod, askedAt))
  if (askedAt !== null && askedAt < endedAt && startedAt !== null) {
    phases.push({ at: askedAt, object: deleting(podAt(pod, askedAt, runningStatus(pod, startedAt)), askedAt) })
  }
  const ended = podAt(pod, endedAt, toFields(pod['status']))
  const wasAsked = askedAt !== null && askedAt <= endedAt
  phases.push({ at: endedAt, object: wasAsked ? deleting(ended, askedAt) : ended })
  if (removedAt !== null) {
    const goneAt = Math.max(removedAt, endedAt)
    phases.push({ at: goneAt, object: pod }, { at: goneAt, object: null })
  }
  return phases
}

function withoutRemark(pod: Fields): Fields {
  const metadata = toFields(pod['metadata'])
  const { [LAST_SEEN]: remark, ...annotations } = toFields(metadata['annotations'])
  if (remark === undefined) return pod
  const { annotations: _, ...rest } = metadata
  return { ...pod, metadata: Object.keys(annotations).length === 0 ? rest : { ...rest, annotations } }
}

function isOnNode(pod: Fields): boolean {
  return textAt(pod, 'spec', 'nodeName') !== null
}

/** The pod without what came later: writers of a later time, its node, its deletion. */
function podAt(pod: Fields, moment: number, status: Fields): Fields {
  const { deletionTimestamp: _, deletionGracePeriodSeconds: __, ...metadata } = toFields(pod['metadata'])
  const managedFields = listAt(metadata, 'managedFields').filter((one) => (timeAt(one, 'time') ?? 0) <= moment)
  const { nodeName, ...spec } = toFields(pod['spec'])
  const isPlaced = listAt(status, 'conditions').length > 0
  return {
    ...pod,
    metadata: { ...metadata, managedFields },
    spec: isPlaced && nodeName !== undefined ? { ...spec, nodeName } : spec,
    status,
  }
}

function deleting(pod: Fields, askedAt: number): Fields {
  const grace = numberAt(pod, 'spec', 'terminationGracePeriodSeconds') ?? DEFAULT_GRACE
  const deletion = { deletionTimestamp: iso(askedAt + grace * 1000), deletionGracePeriodSeconds: grace }
  return { ...pod, metadata: { ...toFields(pod['metadata']), ...deletion } }
}

function pendingStatus(pod: Fields, isPlaced: boolean): Fields {
  const qosClass = at(pod, 'status', 'qosClass')
  const placed = listAt(pod, 'status', 'conditions').find((one) => textAt(one, 'type') === 'PodScheduled')
  const condition = { ...toFields(placed), type: 'PodScheduled', status: 'True' }
  return { phase: 'Pending', ...(isPlaced ? { conditions: [condition] } : {}), qosClass }
}

function statuses(pod: Fields, list: string): readonly Fields[] {
  return listAt(pod, 'status', list).map(toFields)
}

/** When the first of its containers began; null where none did. */
function findStart(pod: Fields, createdAt: number): number | null {
  const starts = statuses(pod, 'containerStatuses').flatMap((status) => {
    const started =
      timeAt(status, 'state', 'running', 'startedAt') ?? timeAt(status, 'state', 'terminated', 'startedAt')
    return started === null || started < createdAt ? [] : [started]
  })
  return starts.length === 0 ? null : Math.min(...starts)
}

function runningStatus(pod: Fields, startedAt: number): Fields {
  const { reason: _, message: __, ...status } = toFields(pod['status'])
  const since = iso(startedAt)
  const conditions = ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled']
  return {
    ...status,
    phase: 'Running',
    conditions: conditions.map((type) => ({ type, status: 'True', lastProbeTime: null, lastTransitionTime: since })),
    containerStatuses: statuses(pod, 'containerStatuses').map((one) => running(one, since)),
  }
}

function running(status: Fields, startedAt: string): Fields {
  return { ...status, ready: true, started: true, state: { running: { startedAt } } }
}

/** When the last state was written: by the latest writer of its status that had nothing to do with the deletion. */
function lastWordAt(pod: Fields, askedAt: number | null): number {
  const written = listAt(pod, 'metadata', 'managedFields')
    .filter((one) => textAt(one, 'subresource') === 'status')
    .map((one) => timeAt(one, 'time') ?? 0)
  const finished = statuses(pod, 'containerStatuses').map(
    (one) => timeAt(one, 'state', 'terminated', 'finishedAt') ?? 0,
  )
  const isRunning = textAt(pod, 'status', 'phase') === 'Running'
  return Math.max(0, ...written, ...finished, ...(isRunning && askedAt !== null ? [askedAt] : []))
}

function iso(time: number): string {
  return new Date(time).toISOString().replace(/\.\d{3}Z$/, 'Z')
}
