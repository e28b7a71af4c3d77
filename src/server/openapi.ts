import { z } from 'zod'
import {
  auditAnswer,
  auditEvents,
  deathsPage,
  deathsQuery,
  documents,
  hostsDocument,
  oneDeath,
  rejudgedPage,
  rejudgeQuery,
  uidParameter,
  versionDocument,
} from './openapi-schemas.ts'
import { ledgerPaths } from './openapi-ledger.ts'
import {
  GUARDED,
  json,
  OPERATE,
  problems,
  queryParameters,
  READ,
  referenceTo,
  schemaReference,
} from './openapi-parts.ts'
import type { Json } from './openapi-parts.ts'
import { processesDocument, processesQuery } from './processes-schemas.ts'
import { recoveryPaths } from './openapi-recovery.ts'
import { queuePaths } from './openapi-queue.ts'
import { createdToken, newToken, revokedToken, tokensPage } from './token-schemas.ts'

const INTRODUCTION = [
  'The deaths of runners that `signalbox serve` recorded, the ledger of destructive acts, and the jobs and runners of own pools.',
  'Every request needs a bearer token with the role that the operation names: `read`, or `operate`, which includes it. On the Unix socket of the server no token is needed, and on 127.0.0.1 only where `api.openToThisMachine` is set.',
  'Every error is a problem document (RFC 9457) with advice.',
  'v1 may gain fields and parameters; existing ones keep their meaning.',
  '`/v1/agent` is internal: only the server and its own agents use it, and it may change at any time.',
].join('\n\n')

/** The API description, built from the schemas that validate requests. */
export function openApi(): Json {
  return {
    openapi: '3.1.0',
    info: { title: 'Signalbox', version: '1.0.0', description: INTRODUCTION, license: LICENSE },
    paths: paths(),
    components: {
      schemas: components(),
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description:
            'A token of `signalbox token create`, or of the files named by `api.tokenFile` and `api.tokensFile`. An operation names the role that it needs',
        },
        auditToken: {
          type: 'http',
          scheme: 'bearer',
          description: 'The token from the file named by `audit.tokenFile`',
        },
      },
    },
  }
}

const LICENSE = { name: 'Apache 2.0', identifier: 'Apache-2.0' }
function paths(): Json {
  return {
    '/v1/deaths': { get: listOperation() },
    '/v1/deaths/rejudge': { post: rejudgeOperation() },
    '/v1/deaths/{uid}': { get: deathOperation() },
    '/v1/deaths/{uid}/evidence': { get: evidenceOperation() },
    ...ledgerPaths(),
    ...recoveryPaths(),
    ...queuePaths(),
    '/v1/tokens': { get: listTokensOperation(), post: createTokenOperation() },
    '/v1/tokens/{name}': { delete: revokeTokenOperation() },
    '/v1/hosts': {
      get: {
        operationId: 'listHosts',
        summary:
          'Small files of the nodes whose agents are connected, as they are now: file table, control groups, disks',
        security: READ,
        responses: { 200: json('Every connected node', hostsDocument), ...problems(...GUARDED, 405) },
      },
    },
    '/v1/processes': { get: processesOperation() },
    '/v1/audit': { post: auditOperation() },
    '/v1/version': {
      get: {
        operationId: 'version',
        summary: 'The running version',
        security: [{}],
        responses: { 200: json('The version', versionDocument), ...problems(405) },
      },
    },
    '/v1/openapi.json': {
      get: {
        operationId: 'description',
        summary: 'This description',
        security: READ,
        responses: {
          200: { description: 'OpenAPI 3.1', content: { 'application/json': { schema: { type: 'object' } } } },
          ...problems(...GUARDED, 405),
        },
      },
    },
  }
}

function listOperation(): Json {
  return {
    operationId: 'listDeaths',
    summary: 'Recorded deaths, newest first',
    security: READ,
    parameters: queryParameters(deathsQuery.shape),
    responses: { 200: json('One page', deathsPage), ...problems(400, ...GUARDED, 405, 503) },
  }
}

function rejudgeOperation(): Json {
  return {
    operationId: 'rejudge',
    summary: 'Judge the stored evidence of one page again with the current rules, and list the verdicts that change',
    security: OPERATE,
    parameters: queryParameters(rejudgeQuery.shape),
    responses: { 200: json('One page', rejudgedPage), ...problems(400, ...GUARDED, 405, 503) },
  }
}

function deathOperation(): Json {
  return {
    operationId: 'getDeath',
    summary: 'One recorded death, and what each source showed',
    security: READ,
    parameters: [pathParameter()],
    responses: { 200: json('The death', oneDeath), ...problems(...GUARDED, 404, 405, 503) },
  }
}

function evidenceOperation(): Json {
  return {
    operationId: 'getEvidence',
    summary: 'The evidence of one death as a bundle for `signalbox why --bundle`',
    security: READ,
    parameters: [pathParameter()],
    responses: {
      200: { description: 'A .tar.gz', content: { 'application/gzip': {} } },
      ...problems(...GUARDED, 404, 405, 409, 503),
    },
  }
}

function processesOperation(): Json {
  return {
    operationId: 'listProcesses',
    summary: 'The processes in the container of a watched runner, as the agent of its node reads them now',
    security: READ,
    parameters: queryParameters(processesQuery.shape),
    responses: {
      200: json('The processes, or why they were not seen', processesDocument),
      ...problems(400, ...GUARDED, 405),
    },
  }
}

function listTokensOperation(): Json {
  return {
    operationId: 'listTokens',
    summary: 'Tokens with their role, expiry and last use; never the token itself',
    security: OPERATE,
    responses: { 200: json('All tokens', tokensPage), ...problems(...GUARDED, 405, 503) },
  }
}

function createTokenOperation(): Json {
  return {
    operationId: 'createToken',
    summary: 'Creates a token. The answer is the only place where it is shown',
    security: OPERATE,
    requestBody: { required: true, content: { 'application/json': { schema: referenceTo(newToken) } } },
    responses: { 201: json('The token', createdToken), ...problems(400, ...GUARDED, 405, 409, 503) },
  }
}

function revokeTokenOperation(): Json {
  const parameter = {
    name: 'name',
    in: 'path',
    required: true,
    description: 'Name of the token',
    schema: { type: 'string' },
  }
  return {
    operationId: 'revokeToken',
    summary: 'Revokes a stored token',
    security: OPERATE,
    parameters: [parameter],
    responses: { 200: json('It is revoked', revokedToken), ...problems(...GUARDED, 404, 405, 503) },
  }
}

function auditOperation(): Json {
  return {
    operationId: 'takeAuditEvents',
    summary: "Receives the API server's audit log events about pods and nodes",
    description:
      'The body is limited to 16 MiB and must not be compressed. Events about pods that are not watched are dropped.',
    security: [{ auditToken: [] }],
    requestBody: { required: true, content: { 'application/json': { schema: referenceTo(auditEvents) } } },
    responses: { 200: json('Accepted', auditAnswer), ...problems(400, ...GUARDED, 405, 413, 415, 503) },
  }
}

function components(): Json {
  const { schemas } = z.toJSONSchema(documents, { uri: schemaReference, io: 'output' })
  return Object.fromEntries(
    Object.entries(schemas).map(([id, { $id: _place, $schema: _dialect, ...schema }]) => [id, schema]),
  )
}

function pathParameter(): Json {
  const { $schema: _dialect, description, ...rest } = z.toJSONSchema(uidParameter)
  return { name: 'uid', in: 'path', required: true, description: description ?? '', schema: rest }
}
