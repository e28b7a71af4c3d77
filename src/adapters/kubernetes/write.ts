import type {
  CreateRequest,
  DeleteRequest,
  EvictRequest,
  Patch,
  PatchRequest,
  Preconditions,
  WriteOutcome,
} from '#/ports/kubernetes.ts'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'
import { apiPath } from './api-path.ts'
import { asRecord } from './record.ts'
import { interpret } from './reply.ts'
import type { Call, Transport } from './transport.ts'
import { toOutcome } from './write-outcome.ts'

export async function create(transport: Transport, request: CreateRequest, signal: AbortSignal): Promise<WriteOutcome> {
  return await write(transport, { method: 'POST', path: apiPath(request), body: request.object }, signal)
}

export async function patch(transport: Transport, request: PatchRequest, signal: AbortSignal): Promise<WriteOutcome> {
  return await write(transport, { method: 'PATCH', path: apiPath(request), ...patchCall(request) }, signal)
}

export async function remove(transport: Transport, request: DeleteRequest, signal: AbortSignal): Promise<WriteOutcome> {
  return await write(transport, { method: 'DELETE', path: apiPath(request), body: deleteOptions(request) }, signal)
}

export async function evict(transport: Transport, request: EvictRequest, signal: AbortSignal): Promise<WriteOutcome> {
  const { namespace, pod } = request
  const path = apiPath({ resource: RESOURCES.pods, namespace, name: pod, subresource: 'eviction' })
  const body = {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { name: pod, namespace },
    deleteOptions: deleteOptions(request),
  }
  return await write(transport, { method: 'POST', path, body }, signal)
}

async function write(transport: Transport, call: Call, signal: AbortSignal): Promise<WriteOutcome> {
  const what = `${call.method} ${call.path}`
  return toOutcome(interpret(await transport.exchange(call, signal), what), what)
}

function deleteOptions(
  request: Pick<DeleteRequest, 'preconditions' | 'gracePeriodSeconds' | 'propagation'>,
): Readonly<Record<string, unknown>> {
  const { preconditions, gracePeriodSeconds, propagation } = request
  return { apiVersion: 'v1', kind: 'DeleteOptions', preconditions, gracePeriodSeconds, propagationPolicy: propagation }
}

const CONTENT_TYPES = {
  apply: 'application/apply-patch+yaml',
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
} as const satisfies Record<Patch['kind'], string>

function patchCall({ patch: change, preconditions }: PatchRequest): Pick<Call, 'contentType' | 'body' | 'query'> {
  const contentType = CONTENT_TYPES[change.kind]
  switch (change.kind) {
    case 'apply': {
      const query = { fieldManager: change.fieldManager, force: String(change.force) }
      return { contentType, query, body: withPreconditions(change.object, preconditions) }
    }
    case 'merge':
      return { contentType, body: withPreconditions(change.changes, preconditions) }
    case 'json':
      return { contentType, body: [...assertions(preconditions), ...change.operations] }
  }
}

/** In a patch the server takes the UID and the version of the metadata for what must still hold. */
function withPreconditions(
  object: Readonly<Record<string, unknown>>,
  preconditions: Preconditions | undefined,
): Readonly<Record<string, unknown>> {
  if (preconditions === undefined) return object
  return { ...object, metadata: { ...asRecord(object['metadata']), ...preconditions } }
}

/** Not by `test`: the server answers a failed one like a mistake in the patch, without saying what failed. */
function assertions(preconditions: Preconditions | undefined): readonly object[] {
  const fields = Object.entries(preconditions ?? {})
  return fields.map(([field, value]) => ({ op: 'replace', path: `/metadata/${field}`, value }))
}
