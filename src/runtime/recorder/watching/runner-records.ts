import { recordOwner } from '#/core/recorder/pool-name.ts'
import { toFields } from '#/core/basics/fields.ts'
import type { Clock } from '#/ports/clock.ts'
import type { Kubernetes, WatchEvent } from '#/ports/kubernetes.ts'
import type { KubeObject, Trim } from '#/ports/kubernetes-object.ts'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'

/**
 * ARC's record of each runner, which names its job. ARC deletes it with the runner, often before the death is judged, so
 * the last version is kept for a while.
 */
export type RunnerRecords = {
  readonly hear: (event: WatchEvent) => void
  /** By the UID of the pod's owner: a new runner may have the same name. */
  readonly ofPod: (pod: KubeObject) => KubeObject | null
}

const KEPT_MS = 15 * 60_000
const MOST_GONE = 10_000

export function createRunnerRecords(clock: Pick<Clock, 'now'>): RunnerRecords {
  const living = new Map<string, KubeObject>()
  const gone = new Map<string, { readonly record: KubeObject; readonly since: number }>()
  const bury = (record: KubeObject): void => {
    const now = clock.now()
    living.delete(record.metadata.uid)
    gone.set(record.metadata.uid, { record, since: now })
    for (const [uid, { since }] of gone) {
      if (gone.size <= MOST_GONE && now - since <= KEPT_MS) break
      gone.delete(uid)
    }
  }
  return {
    hear: (event) => {
      if (event.kind === 'listed') {
        for (const record of event.items) living.set(record.metadata.uid, record)
        for (const record of event.vanished) bury(record)
      } else if (event.kind === 'added' || event.kind === 'modified') {
        living.set(event.object.metadata.uid, event.object)
      } else if (event.kind === 'deleted') bury(event.object)
    },
    ofPod: (pod) => {
      const uid = recordOwner(pod)
      return uid === null ? null : (living.get(uid) ?? gone.get(uid)?.record ?? null)
    },
  }
}

/** Without ARC, or without permission to read its records, the watch is blind and nothing else changes. */
export async function watchRunnerRecords(
  { kubernetes, records, hearRunner, heard }: RecordWatch,
  namespace: string,
  signal: AbortSignal,
): Promise<void> {
  const request = { resource: RESOURCES.ephemeralRunners, trim: withoutTemplate }
  const place = namespace === '' ? {} : { namespace }
  for await (const event of kubernetes.watch({ ...request, ...place }, signal)) {
    records.hear(event)
    heard?.('runners', namespace, event)
    if (event.kind === 'listed') for (const runner of event.items) hearRunner(runner)
    else if (event.kind === 'added' || event.kind === 'modified') hearRunner(event.object)
  }
}

type RecordWatch = {
  readonly kubernetes: Pick<Kubernetes, 'watch'>
  readonly records: RunnerRecords
  readonly hearRunner: (runner: KubeObject) => void
  readonly heard?: (kind: 'runners', namespace: string, event: WatchEvent) => void
}

const KEPT_OF_STATUS = [
  'phase',
  'reason',
  'message',
  'failures',
  'runnerId',
  'runnerName',
  'jobId',
  'jobRequestId',
  'jobDisplayName',
  'jobRepositoryName',
  'jobWorkflowRef',
  'workflowRunId',
] as const

function onlyOurs(annotations: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(annotations).filter(([key]) => key.startsWith('signalbox.dev/')))
}

/** There is one per pod and the watch keeps them all. Most of each is the pod template. */
const withoutTemplate: Trim = ({ apiVersion, kind, metadata, spec, status }) => {
  const { name, namespace, uid, resourceVersion, labels = {}, annotations = {} } = metadata
  const place = namespace === undefined ? {} : { namespace }
  const { githubConfigUrl } = toFields(spec)
  const fields = toFields(status)
  return {
    apiVersion,
    kind,
    metadata: { name, uid, resourceVersion, labels, annotations: onlyOurs(annotations), ...place },
    spec: { githubConfigUrl },
    status: Object.fromEntries(KEPT_OF_STATUS.flatMap((key) => (key in fields ? [[key, fields[key]]] : []))),
  }
}
