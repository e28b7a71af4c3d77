import type { Check, CheckResult } from '#/cli/doctor/check.ts'
import { fail, ok, skip, warn } from '#/cli/doctor/check.ts'
import type { Observed } from '#/core/basics/observed.ts'
import type { AppInfo } from '#/ports/github.ts'

const EVENT = 'workflow_job'
const COST = 'Jobs are found only by the scan of queued jobs, which is slower.'

export const webhookSecret: Check = {
  id: 'webhook-secret',
  title: 'Webhook secret',
  check: async ({ config }) => judgeSecret(config.github.webhookSecret !== null),
}

export function judgeSecret(isSet: boolean): CheckResult {
  if (isSet) return ok('set')
  return fail('github.webhookSecret is not set', {
    cost: `POST /webhooks/github does not exist. ${COST}`,
    fix: "Set github.webhookSecretFile (the chart's dispatch.webhook.existingSecret), with the same secret as at GitHub.",
  })
}

export const webhookEvents: Check = {
  id: 'webhook-events',
  title: 'Webhook events',
  check: async ({ config, github, githubIdentity, signal }) => {
    if (config.github.credential.kind !== 'app') return NO_APP
    if (github === null || (await githubIdentity()).kind !== 'seen') return skip('cannot reach GitHub')
    return judgeEvents(await github.access.app({ signal }))
  },
}

export const NO_APP = skip('no App is configured: check the webhook at GitHub by hand (docs/webhooks.md)')

export function judgeEvents(app: Observed<Pick<AppInfo, 'events'>>): CheckResult {
  if (app.kind !== 'seen') {
    return warn(app.kind === 'blind' ? app.reason.detail : 'GitHub named no App', {
      cost: 'It is not known whether GitHub sends jobs.',
      fix: 'Run signalbox doctor again.',
    })
  }
  if (app.value.events.includes(EVENT)) return ok(`the App is subscribed to ${EVENT}`)
  return fail(`the App is not subscribed to ${EVENT}`, {
    cost: COST,
    fix: 'In the settings of the App, under Permissions & events: actions read, and the event Workflow job.',
  })
}
