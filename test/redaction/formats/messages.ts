import type { Format } from './format.ts'

/** Chat, mail and telephone. */
export const MESSAGES: readonly Format[] = [
  {
    name: 'Slack bot token',
    variable: 'SLACK_BOT_TOKEN',
    build: (draw) => `xoxb-${draw.digits(12)}-${draw.digits(13)}-${draw.alnum(24)}`,
  },
  {
    name: 'Slack user token',
    variable: 'SLACK_TOKEN',
    build: (draw) => `xoxp-${draw.digits(12)}-${draw.digits(12)}-${draw.digits(12)}-${draw.hex(32)}`,
  },
  {
    name: 'Slack app token',
    variable: 'SLACK_APP_TOKEN',
    build: (draw) => `xapp-1-A${draw.upper(10)}-${draw.digits(13)}-${draw.hex(64)}`,
  },
  {
    name: 'Slack rotating token',
    variable: 'SLACK_TOKEN',
    build: (draw) => `xoxe.xoxp-1-${draw.alnum(163)}`,
  },
  {
    name: 'Slack webhook',
    variable: 'SLACK_WEBHOOK_URL',
    build: (draw) => `https://hooks.slack.com/services/T${draw.upper(10)}/B${draw.upper(10)}/${draw.alnum(24)}`,
  },
  {
    name: 'Discord bot token',
    variable: 'DISCORD_TOKEN',
    build: (draw) => `MTE${draw.alnum(23)}.${draw.url(6)}.${draw.url(38)}`,
  },
  {
    name: 'Discord webhook',
    variable: 'DISCORD_WEBHOOK',
    build: (draw) => `https://discord.com/api/webhooks/${draw.digits(19)}/${draw.url(68)}`,
  },
  { name: 'Telegram bot token', variable: 'TELEGRAM_TOKEN', build: (draw) => `${draw.digits(10)}:AA${draw.url(33)}` },
  {
    name: 'Teams webhook',
    variable: 'TEAMS_WEBHOOK',
    build: (draw) =>
      `https://example.webhook.office.com/webhookb2/${draw.uuid()}@${draw.uuid()}/IncomingWebhook/${draw.hex(32)}/${draw.uuid()}`,
  },
  {
    name: 'Teams workflow',
    variable: 'TEAMS_WORKFLOW',
    build: (draw) =>
      `https://prod-1.westeurope.logic.azure.com:443/workflows/deploy/triggers/manual/paths/invoke?api-version=2016-06-01&sig=${draw.url(43)}`,
  },
  { name: 'Twilio key', variable: 'TWILIO_API_KEY', build: (draw) => `SK${draw.hex(32)}` },
  { name: 'Twilio auth token', variable: 'TWILIO_AUTH_TOKEN', build: (draw) => draw.hex(32), isShapeless: true },
  { name: 'SendGrid key', variable: 'SENDGRID_API_KEY', build: (draw) => `SG.${draw.url(22)}.${draw.url(43)}` },
  { name: 'Mailgun key', variable: 'MAILGUN_API_KEY', build: (draw) => `key-${draw.hex(32)}` },
  {
    name: 'Mailgun key (new)',
    variable: 'MAILGUN_API_KEY',
    build: (draw) => `${draw.hex(32)}-${draw.hex(8)}-${draw.hex(8)}`,
  },
  { name: 'Mailchimp key', variable: 'MAILCHIMP_API_KEY', build: (draw) => `${draw.hex(32)}-us${draw.digits(2)}` },
  { name: 'Postmark token', variable: 'POSTMARK_API_TOKEN', build: (draw) => draw.uuid(), isShapeless: true },
  { name: 'Brevo key', variable: 'BREVO_API_KEY', build: (draw) => `xkeysib-${draw.hex(64)}-${draw.alnum(16)}` },
  { name: 'Resend key', variable: 'RESEND_API_KEY', build: (draw) => `re_${draw.alnum(8)}_${draw.alnum(24)}` },
  { name: 'Mandrill key', variable: 'MANDRILL_API_KEY', build: (draw) => `md-${draw.url(22)}` },
]
