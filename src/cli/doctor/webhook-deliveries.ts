import type { Check, CheckResult } from '#/cli/doctor/check.ts'
import { ok, skip, warn } from '#/cli/doctor/check.ts'
import type { Observed } from '#/core/basics/observed.ts'
import type { HookDelivery } from '#/ports/github.ts'
import { NO_APP } from './webhook-setup.ts'

const HOUR_MS = 3_600_000
const MOST_NAMED = 3

export const webhookDeliveries: Check = {
  id: 'webhook-deliveries',
  title: 'Webhook deliveries',
  check: async ({ config, github, githubIdentity, clock, signal }) => {
    if (config.github.credential.kind !== 'app') return NO_APP
    if (github === null || (await githubIdentity()).kind !== 'seen') return skip('cannot reach GitHub')
    const since = clock.now() - HOUR_MS
    return judgeDeliveries(await github.hooks.deliveries({ kind: 'app' }, since, { signal }), since)
  },
}

export function judgeDeliveries(deliveries: Observed<readonly HookDelivery[]>, since: number): CheckResult {
  if (deliveries.kind === 'blind') {
    return warn(deliveries.reason.detail, {
      cost: 'It is not known whether webhooks arrive.',
      fix: 'See Advanced, Recent Deliveries in the settings of the App; without a webhook URL, set one (docs/webhooks.md).',
    })
  }
  const recent = deliveries.kind === 'seen' ? deliveries.value.filter(({ deliveredAt }) => deliveredAt >= since) : []
  if (recent.length === 0) return ok('none in the last hour: no job changed, or the webhook is not active')
  const arrived = new Set(recent.filter(({ statusCode }) => isSuccess(statusCode)).map(({ guid }) => guid))
  const lost = latestOfEach(recent).filter(({ guid }) => !arrived.has(guid))
  const all = new Set(recent.map(({ guid }) => guid)).size
  if (lost.length === 0) return ok(`all ${all} of the last hour arrived`)
  const named = lost.slice(0, MOST_NAMED).map(({ guid, statusCode, status }) => `${guid} (${statusCode} ${status})`)
  const more = lost.length > MOST_NAMED ? `, and ${lost.length - MOST_NAMED} more` : ''
  const fixes = [...new Set(lost.map(({ statusCode }) => fixOf(statusCode)))]
  return warn(`${lost.length} of ${all} in the last hour failed: ${named.join(', ')}${more}`, {
    cost: 'Their jobs are found late, by the scan of queued jobs, and GitHub does not send them again by itself.',
    fix: `${fixes.join(' ')} Then press Redeliver under Advanced in the settings of the App.`,
  })
}

/** Attempts come newest first. */
function latestOfEach(attempts: readonly HookDelivery[]): readonly HookDelivery[] {
  const seen = new Set<string>()
  return attempts.filter(({ guid }) => {
    if (seen.has(guid)) return false
    seen.add(guid)
    return true
  })
}

function isSuccess(statusCode: number): boolean {
  return statusCode >= 200 && statusCode < 300
}

/** By what GitHub was answered; where nobody answered, it notes a code of its own. */
function fixOf(statusCode: number): string {
  switch (statusCode) {
    case 400:
      return '400: set the content type application/json.'
    case 401:
      return '401: set the same secret at GitHub and in github.webhookSecretFile.'
    case 404:
    case 405:
      return `${statusCode}: the URL must end with /webhooks/github, and github.webhookSecret must be set where serve runs.`
    case 413:
      return '413: let the proxy in front of serve pass bodies of 25 MiB.'
    case 503:
      return '503: serve had no database or too much at once; see /readyz?verbose.'
    case 502:
    case 504:
    case 0:
      return `${statusCode}: GitHub got no answer; check DNS, TLS, firewall and ingress of the webhook URL.`
    default:
      return `${statusCode}: something in front of serve answered; check the ingress of the webhook URL.`
  }
}
