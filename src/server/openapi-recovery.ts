import { GUARDED, json, OPERATE, problems, queryParameters, READ } from './openapi-parts.ts'
import type { Json } from './openapi-parts.ts'
import { breakersPage, recoverQuery, recoverReport, resetBreaker, resetQuery } from './recovery-schemas.ts'

export function recoveryPaths(): Json {
  return {
    '/v1/breakers': {
      get: {
        operationId: 'listBreakers',
        summary: 'What is stopped because it kept failing, and what failed lately',
        security: READ,
        responses: { 200: json('Every breaker', breakersPage), ...problems(...GUARDED, 405, 503) },
      },
    },
    '/v1/breakers/reset': {
      post: {
        operationId: 'resetBreaker',
        summary: 'Closes a breaker at once',
        security: OPERATE,
        parameters: queryParameters(resetQuery.shape),
        responses: { 200: json('It is closed', resetBreaker), ...problems(400, ...GUARDED, 404, 405, 503) },
      },
    },
    '/v1/recover': {
      get: {
        operationId: 'dryRunRecovery',
        summary: 'What the recovery loops would do now. Asks GitHub, and changes nothing',
        security: OPERATE,
        parameters: queryParameters(recoverQuery.shape),
        responses: { 200: json('Each loop', recoverReport), ...problems(400, ...GUARDED, 405, 409, 503) },
      },
    },
  }
}
