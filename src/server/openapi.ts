import { z } from 'zod'
import {
  auditAnswer,
  auditEvents,
  deathsPage,
  deathsQuery,
  documents,
  oneDeath,
  problemDocument,
  rejudgedPage,
  rejudgeQuery,
  uidParameter,
  versionDocument,
} from './openapi-schemas.ts'

type Json = Readonly<Record<string, unknown>>

const INTRODUCTION = [
  'What `signalbox serve` recorded of the ends of runners.',
  'On the machine where it runs `/v1/deaths` is told without a token; to others only with the bearer token in the file that `api.tokenFile` names.',
  'Every refusal is a problem document (RFC 9457) with advice.',
  'A field or a parameter may be added within v1; none changes its meaning.',
  '`/v1/agent` is internal: it is spoken between the server and its own agents, and promises nothing to others.',
].join('\n\n')

/** The description of the API, from the schemas that check what comes in. */
export function openApi(): Json {
  return {
    openapi: '3.1.0',
    info: { title: 'Signalbox', version: '1.0.0', description: INTRODUCTION, license: LICENSE },
    paths: paths(),
    components: {
      schemas: components(),
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'The token in the file that `api.tokenFile` names' },
        auditToken: {
          type: 'http',
          scheme: 'bearer',
          description: 'The token in the file that `audit.tokenFile` names',
        },
      },
    },
  }
}

const LICENSE = { name: 'Apache 2.0', identifier: 'Apache-2.0' }
/** Either the token, or this machine. */
const THIS_MACHINE_OR_TOKEN = [{ token: [] }, {}]

function paths(): Json {
  return {
    '/v1/deaths': { get: listOperation() },
    '/v1/deaths/rejudge': { post: rejudgeOperation() },
    '/v1/deaths/{uid}': { get: deathOperation() },
    '/v1/deaths/{uid}/evidence': { get: evidenceOperation() },
    '/v1/audit': { post: auditOperation() },
    '/v1/version': {
      get: {
        operationId: 'version',
        summary: 'The version that runs',
        security: [{}],
        responses: { 200: json('The version', versionDocument), ...problems(405) },
      },
    },
    '/v1/openapi.json': {
      get: {
        operationId: 'description',
        summary: 'This description',
        security: THIS_MACHINE_OR_TOKEN,
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
    summary: 'Recorded ends of runners, the latest first',
    security: THIS_MACHINE_OR_TOKEN,
    parameters: queryParameters(deathsQuery.shape),
    responses: { 200: json('One page', deathsPage), ...problems(400, ...GUARDED, 405, 503) },
  }
}

function rejudgeOperation(): Json {
  return {
    operationId: 'rejudge',
    summary: 'Judges the stored evidence of one page by the present rules, and tells whose cause would change',
    security: THIS_MACHINE_OR_TOKEN,
    parameters: queryParameters(rejudgeQuery.shape),
    responses: { 200: json('One page', rejudgedPage), ...problems(400, ...GUARDED, 405, 503) },
  }
}

function deathOperation(): Json {
  return {
    operationId: 'getDeath',
    summary: 'One recorded end, and which sources were seen',
    security: THIS_MACHINE_OR_TOKEN,
    parameters: [pathParameter()],
    responses: { 200: json('It', oneDeath), ...problems(...GUARDED, 404, 405, 503) },
  }
}

function evidenceOperation(): Json {
  return {
    operationId: 'getEvidence',
    summary: 'Its evidence as a bundle that `signalbox why --bundle` reads',
    security: THIS_MACHINE_OR_TOKEN,
    parameters: [pathParameter()],
    responses: {
      200: { description: 'A .tar.gz', content: { 'application/gzip': {} } },
      ...problems(...GUARDED, 404, 405, 409, 503),
    },
  }
}

function auditOperation(): Json {
  return {
    operationId: 'takeAuditEvents',
    summary: 'For the audit webhook of the API server: who changed pods and nodes',
    description: 'The body may have 16 MiB and no encoding. Events that concern no watched pod are not kept.',
    security: [{ auditToken: [] }],
    requestBody: { required: true, content: { 'application/json': { schema: referenceTo(auditEvents) } } },
    responses: { 200: json('They are taken', auditAnswer), ...problems(400, ...GUARDED, 405, 413, 415, 503) },
  }
}

/** What any request may be answered that needs a token. */
const GUARDED = [401, 403, 429]

const MEANINGS: Readonly<Record<number, string>> = {
  400: 'The question cannot be read',
  401: 'No token, or a wrong one',
  403: 'There is no token that would let this caller in',
  404: 'There is none',
  405: 'Another method is meant',
  409: 'Nothing is kept that could be told',
  413: 'The body is too large',
  415: 'The body is encoded',
  429: 'Too much at once, or too many wrong tokens',
  503: 'The database, the file of the token or the recorder is away for now',
}

function problems(...statuses: readonly number[]): Json {
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      {
        description: MEANINGS[status],
        content: { 'application/problem+json': { schema: referenceTo(problemDocument) } },
      },
    ]),
  )
}

function json(description: string, schema: z.ZodType): Json {
  return { description, content: { 'application/json': { schema: referenceTo(schema) } } }
}

function referenceTo(schema: z.ZodType): Json {
  return { $ref: placeOf(documents.get(schema)?.id ?? '') }
}

function placeOf(id: string): string {
  return `#/components/schemas/${id}`
}

function components(): Json {
  const { schemas } = z.toJSONSchema(documents, { uri: placeOf, io: 'output' })
  return Object.fromEntries(
    Object.entries(schemas).map(([id, { $id: _place, $schema: _dialect, ...schema }]) => [id, schema]),
  )
}

function queryParameters(shape: Readonly<Record<string, z.ZodType>>): readonly Json[] {
  return Object.entries(shape).map(([name, schema]) => {
    // A value in an address is a text; what the text must be is said by what it becomes, except for the mark of a page.
    const io = name === 'after' ? 'input' : 'output'
    const { $schema: _dialect, description, default: _preset, ...rest } = z.toJSONSchema(schema, { io })
    return { name, in: 'query', required: false, description: description ?? '', schema: rest }
  })
}

function pathParameter(): Json {
  const { $schema: _dialect, description, ...rest } = z.toJSONSchema(uidParameter)
  return { name: 'uid', in: 'path', required: true, description: description ?? '', schema: rest }
}
