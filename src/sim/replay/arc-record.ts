import { toFields, listAt, numberAt, textAt } from '#/core/basics/fields.ts'
import type { Fields } from '#/core/basics/fields.ts'
import type { JobDocuments } from './github-documents.ts'
import { generateUid } from './generate-id.ts'

const API_VERSION = 'actions.github.com/v1alpha1'

/**
 * The recordings were made without ARC's controller, which writes down which job a runner took. Here its record is made of
 * the job that GitHub names for the runner, and says nothing else.
 */
export function arcRecord(pod: object, job: JobDocuments | null): Fields | null {
  if (job === null) return null
  const metadata = toFields(toFields(pod)['metadata'])
  const { name, namespace, labels, creationTimestamp } = metadata
  return {
    apiVersion: API_VERSION,
    kind: 'EphemeralRunner',
    metadata: { name, namespace, uid: recordUid(pod), labels, creationTimestamp },
    spec: {},
    status: {
      phase: 'Running',
      runnerName: textAt(job.job, 'runner_name') ?? name,
      runnerId: numberAt(job.job, 'runner_id') ?? 0,
      jobRepositoryName: job.repository,
      workflowRunId: job.runId,
      jobDisplayName: textAt(job.job, 'name') ?? '',
    },
  }
}

export function ownedBy(pod: object, job: JobDocuments | null): Fields {
  const fields = toFields(pod)
  const metadata = toFields(fields['metadata'])
  if (job === null || listAt(metadata, 'ownerReferences').length > 0) return fields
  const owner = { apiVersion: API_VERSION, kind: 'EphemeralRunner', name: metadata['name'], uid: recordUid(pod) }
  return { ...fields, metadata: { ...metadata, ownerReferences: [{ ...owner, controller: true }] } }
}

/** Derived from the pod's, so that the two match. */
function recordUid(pod: object): string {
  return generateUid(`record/${textAt(pod, 'metadata', 'uid')}`)
}
