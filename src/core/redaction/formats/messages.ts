import type { CredentialFormat } from './credential-format.ts'

const SLACK = 'https://docs.slack.dev/authentication/tokens'
const URL_REST = String.raw`[^\s"'<>‹]{16,}`

/** Chat, mail and telephone. */
export const MESSAGES: readonly CredentialFormat[] = [
  {
    name: 'Slack token: bot, user, workspace, session, rotating, app',
    shapes: [
      ...['a', 'b', 'c', 'd', 'e', 'o', 'p', 'r', 's'].map((type) => `xox${type}-[A-Za-z0-9%-]{10,}`),
      String.raw`xoxe\.xox[bp]-[A-Za-z0-9-]{10,}`,
      'xapp-[0-9]{1}-[A-Za-z0-9-]{20,}',
    ],
    source: SLACK,
  },
  {
    name: 'webhook of Slack, Teams or Discord: the URL is the credential',
    shapes: ['hooks.slack.com/', 'webhook.office.com/', 'discord.com/api/webhooks/', 'discordapp.com/api/webhooks/']
      .flatMap((host) => [host, host.replaceAll('/', String.raw`\/`)])
      .map((host) => `${host.replaceAll(/[\\.]/g, String.raw`\$&`)}${URL_REST}`),
    keepsLiteral: true,
    source: 'https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks',
  },
  {
    name: 'Discord bot token',
    shapes: ['MTA', 'MTE', 'MTI', 'MTM', 'MTQ', 'MTU'].map(
      (start) => String.raw`${start}[A-Za-z0-9]{21,25}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}`,
    ),
    isWord: true,
    source: 'https://discord.com/developers/docs/reference',
  },
  {
    name: 'Telegram bot token',
    shapes: ['[0-9]{8}:AA[A-Za-z0-9_-]{33}'],
    source: 'https://core.telegram.org/bots/features',
  },
  {
    name: 'Twilio API key',
    shapes: Array.from('0123456789abcdef', (digit) => `SK${digit}[a-f0-9]{31}`),
    isWord: true,
    source: 'https://www.twilio.com/docs/glossary/what-is-a-sid',
  },
  {
    name: 'SendGrid key',
    shapes: [String.raw`SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{16,}`],
    source: 'https://www.twilio.com/docs/sendgrid/ui/account-and-settings/api-keys',
  },
  {
    name: 'Mailgun key',
    shapes: ['key-[a-f0-9]{32}'],
    isWord: true,
    source: 'https://documentation.mailgun.com/docs/mailgun/user-manual/api-key-mgmt',
  },
  {
    name: 'Mailchimp key',
    shapes: ['[a-f0-9]{32}-us[0-9]{1,2}'],
    isWord: true,
    source: 'https://mailchimp.com/developer/marketing/guides/quick-start/',
  },
  {
    name: 'Brevo key',
    shapes: ['xkeysib-[A-Za-z0-9-]{40,}', 'xsmtpsib-[A-Za-z0-9-]{40,}'],
    source: 'https://developers.brevo.com/docs/getting-started',
  },
  {
    name: 'Resend key',
    shapes: ['re_[A-Za-z0-9]{6,10}_[A-Za-z0-9]{20,}'],
    isWord: true,
    source: 'https://resend.com/docs/dashboard/api-keys/introduction',
  },
  {
    name: 'Mandrill key',
    shapes: ['md-[A-Za-z0-9_-]{22}'],
    isWord: true,
    source: 'https://mailchimp.com/developer/transactional/guides/quick-start/',
  },
]
