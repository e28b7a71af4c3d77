import { Ajv2020 } from 'ajv/dist/2020.js'
import type { ValidateFunction } from 'ajv'

/**
 * The parts that we use of the formats of Slack, Teams and our webhook, as strict as they are published:
 * docs.slack.dev (Block Kit: header, rich_text; incoming webhooks), adaptivecards.io (schema 1.4) with Microsoft's
 * "post to a channel when a webhook request is received", and docs/notifications.md.
 */
const SLACK = {
  type: 'object',
  additionalProperties: false,
  required: ['text', 'blocks'],
  properties: {
    text: { type: 'string', minLength: 1, maxLength: 40_000 },
    unfurl_links: { type: 'boolean' },
    unfurl_media: { type: 'boolean' },
    blocks: {
      type: 'array',
      minItems: 1,
      maxItems: 50,
      items: { oneOf: [{ $ref: '#/$defs/header' }, { $ref: '#/$defs/rich' }] },
    },
  },
  $defs: {
    header: {
      type: 'object',
      additionalProperties: false,
      required: ['type', 'text'],
      properties: {
        type: { const: 'header' },
        text: {
          type: 'object',
          additionalProperties: false,
          required: ['type', 'text'],
          properties: {
            type: { const: 'plain_text' },
            text: { type: 'string', minLength: 1, maxLength: 150 },
            emoji: { type: 'boolean' },
          },
        },
      },
    },
    rich: {
      type: 'object',
      additionalProperties: false,
      required: ['type', 'elements'],
      properties: {
        type: { const: 'rich_text' },
        elements: {
          type: 'array',
          minItems: 1,
          items: { oneOf: [{ $ref: '#/$defs/section' }, { $ref: '#/$defs/list' }] },
        },
      },
    },
    list: {
      type: 'object',
      additionalProperties: false,
      required: ['type', 'style', 'elements'],
      properties: {
        type: { const: 'rich_text_list' },
        style: { enum: ['bullet', 'ordered'] },
        elements: { type: 'array', minItems: 1, items: { $ref: '#/$defs/section' } },
      },
    },
    section: {
      type: 'object',
      additionalProperties: false,
      required: ['type', 'elements'],
      properties: {
        type: { const: 'rich_text_section' },
        elements: {
          type: 'array',
          minItems: 1,
          items: { oneOf: [{ $ref: '#/$defs/text' }, { $ref: '#/$defs/link' }] },
        },
      },
    },
    text: {
      type: 'object',
      additionalProperties: false,
      required: ['type', 'text'],
      properties: {
        type: { const: 'text' },
        text: { type: 'string', minLength: 1 },
        style: { type: 'object', additionalProperties: false, properties: { bold: { type: 'boolean' } } },
      },
    },
    link: {
      type: 'object',
      additionalProperties: false,
      required: ['type', 'url'],
      properties: {
        type: { const: 'link' },
        url: { type: 'string', pattern: '^https?://' },
        text: { type: 'string', minLength: 1 },
      },
    },
  },
}

const TEAMS = {
  type: 'object',
  additionalProperties: false,
  required: ['type', 'attachments'],
  properties: {
    type: { const: 'message' },
    attachments: {
      type: 'array',
      minItems: 1,
      maxItems: 1,
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['contentType', 'content'],
        properties: {
          contentType: { const: 'application/vnd.microsoft.card.adaptive' },
          contentUrl: { type: 'null' },
          content: { $ref: '#/$defs/card' },
        },
      },
    },
  },
  $defs: {
    card: {
      type: 'object',
      additionalProperties: false,
      required: ['type', 'version', 'body'],
      properties: {
        $schema: { const: 'http://adaptivecards.io/schemas/adaptive-card.json' },
        type: { const: 'AdaptiveCard' },
        version: { enum: ['1.2', '1.3', '1.4'] },
        body: { type: 'array', minItems: 1, items: { $ref: '#/$defs/block' } },
        actions: { type: 'array', minItems: 1, maxItems: 6, items: { $ref: '#/$defs/action' } },
        msteams: { type: 'object', additionalProperties: false, properties: { width: { const: 'Full' } } },
      },
    },
    block: {
      type: 'object',
      additionalProperties: false,
      required: ['type', 'inlines'],
      properties: {
        type: { const: 'RichTextBlock' },
        inlines: { type: 'array', minItems: 1, items: { $ref: '#/$defs/run' } },
      },
    },
    run: {
      type: 'object',
      additionalProperties: false,
      required: ['type', 'text'],
      properties: {
        type: { const: 'TextRun' },
        text: { type: 'string', minLength: 1 },
        weight: { enum: ['Lighter', 'Default', 'Bolder'] },
        size: { enum: ['Small', 'Default', 'Medium', 'Large', 'ExtraLarge'] },
      },
    },
    action: {
      type: 'object',
      additionalProperties: false,
      required: ['type', 'url'],
      properties: {
        type: { const: 'Action.OpenUrl' },
        title: { type: 'string', minLength: 1 },
        url: { type: 'string', pattern: '^https?://' },
      },
    },
  },
}

const TIME = { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' }
const TEXT_OR_NULL = { type: ['string', 'null'] }
const DEATH_TEXTS = ['node', 'pool', 'runner', 'repository', 'workflow', 'actor', 'reason', 'message']
const DEATH = {
  uid: { type: 'string' },
  namespace: { type: 'string' },
  pod: { type: 'string' },
  ...Object.fromEntries(DEATH_TEXTS.map((name) => [name, TEXT_OR_NULL])),
  job: {
    type: ['object', 'null'],
    additionalProperties: false,
    required: ['id', 'name', 'url'],
    properties: { id: { type: 'integer' }, name: TEXT_OR_NULL, url: TEXT_OR_NULL },
  },
  diedAt: { type: 'integer' },
  recordedAt: { type: 'integer' },
  cause: { type: 'string' },
  kind: { enum: ['death', 'never-started', 'not-a-death', 'unknown'] },
  confidence: { type: 'number', minimum: 0, maximum: 1 },
  sentence: { type: 'string' },
  next: { type: 'array', items: { type: 'string' } },
  exitCode: { type: ['integer', 'null'] },
  signal: { type: ['integer', 'null'] },
  blind: {
    type: 'array',
    items: {
      type: 'object',
      additionalProperties: false,
      required: ['source', 'reason'],
      properties: { source: { type: 'string' }, reason: { type: 'string' } },
    },
  },
  missed: { type: 'boolean' },
}

const OWN = {
  type: 'object',
  additionalProperties: false,
  required: ['schemaVersion', 'id', 'sentAt', 'test', 'headline', 'group', 'deaths', 'omitted', 'more'],
  properties: {
    schemaVersion: { const: 1 },
    id: { type: 'string' },
    sentAt: TIME,
    test: { type: 'boolean' },
    headline: { type: 'string', minLength: 1 },
    group: {
      type: ['object', 'null'],
      additionalProperties: false,
      required: ['by', 'node', 'pool', 'cause', 'count', 'from', 'to'],
      properties: {
        by: { enum: ['node', 'pool'] },
        node: TEXT_OR_NULL,
        pool: TEXT_OR_NULL,
        cause: TEXT_OR_NULL,
        count: { type: 'integer', minimum: 1 },
        from: TIME,
        to: TIME,
      },
    },
    deaths: {
      type: 'array',
      maxItems: 100,
      items: { type: 'object', additionalProperties: false, required: Object.keys(DEATH), properties: DEATH },
    },
    omitted: { type: 'integer', minimum: 0 },
    more: {
      type: ['object', 'null'],
      additionalProperties: false,
      required: ['count', 'since', 'causes'],
      properties: {
        count: { type: 'integer', minimum: 1 },
        since: TIME,
        causes: { type: 'object', additionalProperties: { type: 'integer', minimum: 1 } },
      },
    },
  },
}

const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true })
const CHECKS: Readonly<Record<'slack' | 'teams' | 'webhook', ValidateFunction>> = {
  slack: ajv.compile(SLACK),
  teams: ajv.compile(TEAMS),
  webhook: ajv.compile(OWN),
}

export type PublishedFormat = keyof typeof CHECKS

/** Why the service would refuse a body. */
export function formatProblems(format: PublishedFormat, body: unknown): readonly string[] {
  const check = CHECKS[format]
  if (check(body)) return []
  return (check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message ?? ''}`)
}
