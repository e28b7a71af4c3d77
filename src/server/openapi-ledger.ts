import type { z } from 'zod'
import {
  attemptEndBody,
  attemptStepBody,
  begunDocument,
  callerDocument,
  endedAttemptBody,
  evidenceBody,
  movedDocument,
  newAttemptBody,
  recordedDocument,
  storedEvidence,
} from './ledger-bodies.ts'
import { ledgerPage, ledgerQuery } from './ledger-schemas.ts'
import { GUARDED, json, OPERATE, problems, queryParameters, READ, referenceTo } from './openapi-parts.ts'
import type { Json } from './openapi-parts.ts'

const BEGIN =
  'Plans an attempt, if nobody has the same act on the same subject under way and the cap has room. After a lost answer begin again: `taken` with your own `run` is your attempt'

const ID: readonly Json[] = [
  { name: 'id', in: 'path', required: true, description: 'Of the row', schema: { type: 'integer' } },
]
const ADVANCE = { operationId: 'advanceAttempt', summary: 'Says how far the attempt got', parameters: ID }
const END = { operationId: 'endAttempt', summary: 'Says how the attempt ended', parameters: ID }
const RECORD = { operationId: 'recordAttempt', summary: 'An attempt that ended before it began' }

export function ledgerPaths(): Json {
  return {
    '/v1/ledger': { get: ledgerOperation() },
    '/v1/ledger/actor': { get: actorOperation() },
    '/v1/ledger/attempts': {
      post: write({ operationId: 'beginAttempt', summary: BEGIN }, newAttemptBody, begunDocument),
    },
    '/v1/ledger/attempts/{id}/steps': {
      post: write(ADVANCE, attemptStepBody, movedDocument),
    },
    '/v1/ledger/attempts/{id}/end': {
      post: write(END, attemptEndBody, movedDocument),
    },
    '/v1/ledger/records': {
      post: write(RECORD, endedAttemptBody, recordedDocument),
    },
    '/v1/evidence/{attempt}': { post: evidenceOperation() },
  }
}

function ledgerOperation(): Json {
  return {
    operationId: 'listLedger',
    summary: 'Attempts at destructive acts, permitted or refused, newest first',
    security: READ,
    parameters: queryParameters(ledgerQuery.shape),
    responses: { 200: json('One page', ledgerPage), ...problems(400, ...GUARDED, 405, 503) },
  }
}

function actorOperation(): Json {
  return {
    operationId: 'getActor',
    summary: 'How the ledger will name who asks',
    security: OPERATE,
    responses: { 200: json('Who asks', callerDocument), ...problems(...GUARDED, 405, 503) },
  }
}

function evidenceOperation(): Json {
  const attempt = { name: 'attempt', in: 'path', required: true, description: 'Its id', schema: { type: 'integer' } }
  return {
    operationId: 'keepEvidence',
    summary: 'Stores what an attempt is about to remove, redacted. The same attempt stores once. At most 8 MiB',
    security: OPERATE,
    parameters: [attempt],
    requestBody: { required: true, content: { 'application/json': { schema: referenceTo(evidenceBody) } } },
    responses: {
      200: json('It is stored', storedEvidence),
      ...problems(400, ...GUARDED, 404, 405, 409, 413, 422, 503),
    },
  }
}

type Write = { readonly operationId: string; readonly summary: string; readonly parameters?: readonly Json[] }

function write(operation: Write, body: z.ZodType, answer: z.ZodType): Json {
  return {
    ...operation,
    description: 'The actor is who asks. `at` must be within five minutes of the clock of the server. At most 1 MiB.',
    security: OPERATE,
    requestBody: { required: true, content: { 'application/json': { schema: referenceTo(body) } } },
    responses: { 200: json('What was written', answer), ...problems(400, ...GUARDED, 405, 413, 503) },
  }
}
