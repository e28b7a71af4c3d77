import type { Settings } from '#/config/schema.ts'
import type { Selection } from '#/core/notify/selection.ts'
import { Secret } from '#/core/basics/secret.ts'

/** Notification settings; null for a channel that is off. */
export type NotifyConfig = {
  readonly settleMs: number
  readonly windowMs: number
  readonly followUpMs: number
  readonly maxAgeMs: number
  readonly selection: Selection
  readonly github: { readonly selection: Selection; readonly perMinute: number } | null
  readonly slack: WebhookChannel | null
  readonly teams: WebhookChannel | null
  readonly webhook: (WebhookChannel & { readonly secret: Secret | null }) | null
}
export type WebhookChannel = {
  readonly url: Secret
  readonly selection: Selection
  readonly perHour: number
}

type Given = Settings['notify']

export function toNotify(notify: Given): NotifyConfig {
  const { kinds, causes, pools, minimumConfidence, github, slack, teams, webhook } = notify
  const selection: Selection = { kinds, causes, pools, minimumConfidence }
  const own = webhookChannel(webhook, selection)
  return {
    settleMs: notify.settle,
    windowMs: notify.window,
    followUpMs: notify.followUp,
    maxAgeMs: notify.maxAge,
    selection,
    github: github.checkRuns ? { selection: ownSelection(github, selection), perMinute: github.perMinute } : null,
    slack: webhookChannel(slack, selection),
    teams: webhookChannel(teams, selection),
    webhook: own === null ? null : { ...own, secret: toSecret('webhook-secret', webhook.secret) },
  }
}

function webhookChannel(given: Given['slack'], selection: Selection): WebhookChannel | null {
  const url = toSecret('webhook-url', given.url)
  return url === null ? null : { url, selection: ownSelection(given, selection), perHour: given.perHour }
}

function ownSelection(given: Given['slack'] | Given['github'], common: Selection): Selection {
  return {
    kinds: given.kinds ?? common.kinds,
    causes: given.causes ?? common.causes,
    pools: given.pools ?? common.pools,
    minimumConfidence: given.minimumConfidence ?? common.minimumConfidence,
  }
}

function toSecret(kind: string, value: string | undefined): Secret | null {
  return value === undefined ? null : new Secret(kind, value)
}
