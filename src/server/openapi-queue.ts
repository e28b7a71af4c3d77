import { GUARDED, json, OPERATE, problems, queryParameters, READ } from './openapi-parts.ts'
import type { Json } from './openapi-parts.ts'
import {
  jobsDocument,
  jobsQuery,
  oneJob,
  poolsDocument,
  poolsQuery,
  queueDocument,
  queueQuery,
  retriedDocument,
  runnersDocument,
  runnersQuery,
} from './queue-schemas.ts'

const ID: readonly Json[] = [
  { name: 'id', in: 'path', required: true, description: "GitHub's id of the job", schema: { type: 'integer' } },
]

export function queuePaths(): Json {
  return {
    '/v1/queue': {
      get: {
        operationId: 'getQueue',
        summary: 'Which jobs wait, and what each waits for; webhooks that fitted nothing',
        security: READ,
        parameters: queryParameters(queueQuery.shape),
        responses: {
          200: json('The queue of each pool', queueDocument),
          ...problems(400, ...GUARDED, 404, 405, 409, 503),
        },
      },
    },
    '/v1/jobs': {
      get: {
        operationId: 'listJobs',
        summary: 'Jobs, the one that was queued last first',
        security: READ,
        parameters: queryParameters(jobsQuery.shape),
        responses: { 200: json('The latest', jobsDocument), ...problems(400, ...GUARDED, 404, 405, 409, 503) },
      },
    },
    ...jobPaths(),
    '/v1/runners': {
      get: {
        operationId: 'listRunners',
        summary: 'The runners of own pools that are alive, with their pods and jobs; the oldest first',
        security: READ,
        parameters: queryParameters(runnersQuery.shape),
        responses: { 200: json('The runners', runnersDocument), ...problems(400, ...GUARDED, 404, 405, 409, 503) },
      },
    },
    '/v1/pools': {
      get: {
        operationId: 'listPools',
        summary: 'The declared pools, with their size, pods, queue and conditions',
        security: READ,
        parameters: queryParameters(poolsQuery.shape),
        responses: { 200: json('The pools', poolsDocument), ...problems(400, ...GUARDED, 404, 405, 409, 503) },
      },
    },
  }
}

function jobPaths(): Json {
  return {
    '/v1/jobs/{id}': {
      get: {
        operationId: 'getJob',
        summary: 'One job with its whole history, and who did what',
        security: READ,
        parameters: ID,
        responses: { 200: json('The job', oneJob), ...problems(...GUARDED, 404, 405, 503) },
      },
    },
    '/v1/jobs/{id}/retry': {
      post: {
        operationId: 'retryJob',
        summary: 'Puts a parked job back into the queue, or one that waits for its back-off',
        security: OPERATE,
        parameters: ID,
        responses: { 200: json('It is due now', retriedDocument), ...problems(...GUARDED, 404, 405, 409, 503) },
      },
    },
  }
}
