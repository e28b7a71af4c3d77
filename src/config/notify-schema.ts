import { z } from 'zod'
import { duration, positive, setting, text, webAddress } from '#/config/values.ts'

const KINDS = ['death', 'never-started', 'not-a-death', 'unknown'] as const
const kinds = z.array(z.enum(KINDS)).min(1, 'must not be empty')
const share = z.number('must be a number').min(0, 'must be at least 0').max(1, 'must be at most 1')

/** A channel may select other deaths than the rest. */
function ownSelection(channel: string) {
  return {
    kinds: setting(kinds.optional(), { description: `The same, only for ${channel}`, fromText: 'list' }),
    causes: setting(z.array(text).optional(), { description: `The same, only for ${channel}`, fromText: 'list' }),
    pools: setting(z.array(text).optional(), { description: `The same, only for ${channel}`, fromText: 'list' }),
    minimumConfidence: setting(share.optional(), {
      description: `The same, only for ${channel}`,
      fromText: 'number',
    }),
  }
}

function perHour(preset: number) {
  return setting(positive.max(3600, 'must be at most 3600').prefault(preset), {
    description: 'Maximum messages per hour; the rest is reported as a count when the limit ends',
    fromText: 'integer',
  })
}

const github = z.strictObject({
  checkRuns: setting(z.boolean('must be true or false').prefault(false), {
    description:
      'Write the verdict as a check run on the commit of the lost job. Needs a GitHub App with the permission checks: write',
    fromText: 'boolean',
  }),
  perMinute: setting(positive.max(60, 'must be at most 60').prefault(20), {
    description: 'Maximum check runs per minute; the others wait',
    fromText: 'integer',
  }),
  ...ownSelection('GitHub'),
})

const slack = z.strictObject({
  url: setting(webAddress.optional(), { description: 'The incoming webhook of a Slack channel', secret: 'whole' }),
  urlFile: setting(text.optional(), { description: 'A file that contains the URL', path: 'one' }),
  perHour: perHour(20),
  ...ownSelection('Slack'),
})

const teams = z.strictObject({
  url: setting(webAddress.optional(), { description: 'The webhook of a Teams workflow', secret: 'whole' }),
  urlFile: setting(text.optional(), { description: 'A file that contains the URL', path: 'one' }),
  perHour: perHour(20),
  ...ownSelection('Teams'),
})

const webhook = z.strictObject({
  url: setting(webAddress.optional(), {
    description: 'Your own URL, which receives the deaths as JSON',
    secret: 'whole',
  }),
  urlFile: setting(text.optional(), { description: 'A file that contains the URL', path: 'one' }),
  secret: setting(text.optional(), { description: 'Signs the requests (HMAC-SHA256)', secret: 'whole' }),
  secretFile: setting(text.optional(), { description: 'A file that contains the secret', path: 'one' }),
  perHour: perHour(600),
  ...ownSelection('the webhook'),
})

/** Notifications. Every channel is off until it is configured. */
export const notify = z.strictObject({
  kinds: setting(kinds.prefault(['death', 'never-started']), {
    description: 'Which kinds are reported: `death`, `never-started`, `unknown`, `not-a-death`',
    fromText: 'list',
  }),
  causes: setting(z.array(text).prefault([]), { description: 'Only these causes; default: all', fromText: 'list' }),
  pools: setting(z.array(text).prefault([]), { description: 'Only these pools; default: all', fromText: 'list' }),
  minimumConfidence: setting(share.prefault(0.5), {
    description: 'Only verdicts with at least this confidence, from 0 to 1',
    fromText: 'number',
  }),
  settle: setting(duration.prefault('20s'), {
    description: 'How long the first death of a group waits for others before the notification is sent',
  }),
  window: setting(duration.prefault('40s'), {
    description: 'Maximum time between two deaths of one group: same node, or same pool and cause',
  }),
  followUp: setting(duration.prefault('5m'), {
    description: 'Minimum time between two notifications about a growing group',
  }),
  maxAge: setting(duration.prefault('1h'), {
    description: 'How long a failing notification is retried; after that it is only counted',
  }),
  github: github.prefault({}),
  slack: slack.prefault({}),
  teams: teams.prefault({}),
  webhook: webhook.prefault({}),
})
