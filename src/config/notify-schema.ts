import { z } from 'zod'
import { duration, positive, setting, text, webAddress } from '#/config/values.ts'

const KINDS = ['death', 'never-started', 'not-a-death', 'unknown'] as const
const kinds = z.array(z.enum(KINDS)).min(1, 'is empty')
const share = z.number('is not a number').min(0, 'is below 0').max(1, 'is above 1')

/** A channel may be told other deaths than the rest. */
function ownSelection(channel: string) {
  return {
    kinds: setting(kinds.optional(), { description: `The same for ${channel} alone`, fromText: 'list' }),
    causes: setting(z.array(text).optional(), { description: `The same for ${channel} alone`, fromText: 'list' }),
    pools: setting(z.array(text).optional(), { description: `The same for ${channel} alone`, fromText: 'list' }),
    minimumConfidence: setting(share.optional(), {
      description: `The same for ${channel} alone`,
      fromText: 'number',
    }),
  }
}

function perHour(preset: number) {
  return setting(positive.max(3600, 'is above 3600').prefault(preset), {
    description: 'The most messages within any hour; what is beyond is told by its number when the limit lifts',
    fromText: 'integer',
  })
}

const github = z.strictObject({
  checkRuns: setting(z.boolean('is not true or false').prefault(false), {
    description:
      'Writes the verdict as a check run at the commit of the lost job. Needs a GitHub App with the permission checks: write',
    fromText: 'boolean',
  }),
  perMinute: setting(positive.max(60, 'is above 60').prefault(20), {
    description: 'The most check runs within any minute; the others wait',
    fromText: 'integer',
  }),
  ...ownSelection('GitHub'),
})

const slack = z.strictObject({
  url: setting(webAddress.optional(), { description: 'The incoming webhook of a Slack channel', secret: 'whole' }),
  urlFile: setting(text.optional(), { description: 'A file that holds it', path: 'one' }),
  perHour: perHour(20),
  ...ownSelection('Slack'),
})

const teams = z.strictObject({
  url: setting(webAddress.optional(), { description: 'The webhook of a Teams workflow', secret: 'whole' }),
  urlFile: setting(text.optional(), { description: 'A file that holds it', path: 'one' }),
  perHour: perHour(20),
  ...ownSelection('Teams'),
})

const webhook = z.strictObject({
  url: setting(webAddress.optional(), {
    description: 'An address of your own that is sent the deaths as JSON',
    secret: 'whole',
  }),
  urlFile: setting(text.optional(), { description: 'A file that holds it', path: 'one' }),
  secret: setting(text.optional(), { description: 'Signs what is sent (HMAC-SHA256)', secret: 'whole' }),
  secretFile: setting(text.optional(), { description: 'A file that holds the secret', path: 'one' }),
  perHour: perHour(600),
  ...ownSelection('the webhook'),
})

/** Who is told of deaths. Every channel is off until it is configured. */
export const notify = z.strictObject({
  kinds: setting(kinds.prefault(['death', 'never-started']), {
    description: 'Which ends are told: `death`, `never-started`, `unknown`, `not-a-death`',
    fromText: 'list',
  }),
  causes: setting(z.array(text).prefault([]), { description: 'Only these causes; all without it', fromText: 'list' }),
  pools: setting(z.array(text).prefault([]), { description: 'Only these pools; all without it', fromText: 'list' }),
  minimumConfidence: setting(share.prefault(0.5), {
    description: 'Only verdicts that are at least so certain, from 0 to 1',
    fromText: 'number',
  }),
  settle: setting(duration.prefault('20s'), {
    description: 'How long the first death of a group waits for others before it is told',
  }),
  window: setting(duration.prefault('40s'), {
    description: 'The longest pause between two deaths of one group: on one node, or of one pool and cause',
  }),
  followUp: setting(duration.prefault('5m'), {
    description: 'How often at the most a group that was told is told again because it grew',
  }),
  maxAge: setting(duration.prefault('1h'), {
    description: 'How long a notice that nobody takes is tried; then it is told by its number only',
  }),
  github: github.prefault({}),
  slack: slack.prefault({}),
  teams: teams.prefault({}),
  webhook: webhook.prefault({}),
})
