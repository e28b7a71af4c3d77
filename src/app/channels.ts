import type { HttpMeans } from '#/adapters/http/exchange.ts'
import { makeDispatchers } from '#/adapters/http/dispatchers.ts'
import { proxyFor } from '#/adapters/http/proxy-for.ts'
import { checkRunNotifier, hasJob } from '#/adapters/notify/check-run-notifier.ts'
import { textNotifier } from '#/adapters/notify/text-notifier.ts'
import { slackNotifier, teamsNotifier, webhookNotifier } from '#/adapters/notify/webhook-notifiers.ts'
import { CAUSES } from '#/causes/index.ts'
import { AppFailure } from '#/app/part/failure.ts'
import type { Network } from './network.ts'
import type { NotifyConfig, WebhookChannel } from '#/config/notify-config.ts'
import type { Death } from '#/core/recorder/death.ts'
import { didYouMean } from '#/core/basics/did-you-mean.ts'
import type { NoticeOutboxSettings } from '#/core/notify/notice-outbox.ts'
import { createRate } from '#/core/notify/rate.ts'
import { isSelected } from '#/core/notify/selection.ts'
import type { Selection } from '#/core/notify/selection.ts'
import type { Clock } from '#/ports/clock.ts'
import type { GitHub } from '#/ports/github.ts'
import type { Notifier } from '#/ports/notifier.ts'
import type { ChannelPlan } from '#/runtime/notify/channel.ts'

/** The configured notification channels. */
export type Channels = AsyncDisposable & { readonly plans: readonly ChannelPlan[] }

type ChannelMeans = {
  readonly notify: NotifyConfig
  readonly network: Network
  readonly github: Pick<GitHub, 'jobs' | 'checks'> | null
  readonly clock: Clock
}

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000

export function openChannels({ notify, network, github, clock }: ChannelMeans): Channels {
  const { proxies, authorities } = network
  const dispatchers = makeDispatchers({
    wayTo: (target) => proxyFor(target, proxies),
    tls: { ca: authorities },
    proxyCa: authorities,
    connections: 2,
  })
  const http: HttpMeans = { dispatchers, clock }
  const { slack, teams, webhook } = notify
  const plans = [
    ...(notify.github === null ? [] : [checkRunPlan(notify, notify.github, github)]),
    ...(slack === null ? [] : [chatPlan(notify, 'slack', slack, slackNotifier(http, slack.url))]),
    ...(teams === null ? [] : [chatPlan(notify, 'teams', teams, teamsNotifier(http, teams.url))]),
    ...(webhook === null
      ? []
      : [chatPlan(notify, 'webhook', webhook, webhookNotifier(http, webhook.url, webhook.secret))]),
  ]
  return { plans, [Symbol.asyncDispose]: () => dispatchers.close() }
}

/** Prints each notice to this process's terminal. Nothing is remembered: a second start prints again what happens again. */
export function writtenPlan(
  notify: NotifyConfig,
  write: (text: string) => void,
  settings: Partial<NoticeOutboxSettings> = {},
): ChannelPlan {
  const chat = chatPlan(notify, 'terminal', { selection: notify.selection, perHour: HOUR_MS }, textNotifier(write))
  return { ...chat, outbox: { ...chat.outbox, ...settings }, isRemembered: false }
}

const REPLAY_SETTLE_MS = 5000

/** Notices of a replay are only printed, never sent to a configured channel. */
export function replayedPlan(notify: NotifyConfig, write: (text: string) => void): ChannelPlan {
  return writtenPlan(notify, write, { settleMs: REPLAY_SETTLE_MS })
}

function chatPlan(
  notify: NotifyConfig,
  name: string,
  { selection, perHour }: Omit<WebhookChannel, 'url'>,
  notifier: Notifier,
): ChannelPlan {
  const outbox = {
    ...outboxSettings(notify),
    followUpMs: notify.followUpMs,
    rate: createRate(perHour, HOUR_MS),
    ...TOGETHER,
  }
  // One at a time: a message that came after another would report a group before it began.
  return { ...basePlan(notify, name, selection), notifier, outbox, isRepeatable: false, mostUnderWay: 1 }
}

function checkRunPlan(
  notify: NotifyConfig,
  { selection, perMinute }: NonNullable<NotifyConfig['github']>,
  github: ChannelMeans['github'],
): ChannelPlan {
  if (github === null) {
    throw new AppFailure('configuration', 'notify.github.checkRuns needs a GitHub App, and none is configured', [
      'set github.app.id and github.app.privateKeyFile',
    ])
  }
  const plan = basePlan(notify, 'github', selection)
  const outbox = {
    ...outboxSettings(notify),
    followUpMs: notify.settleMs,
    rate: createRate(perMinute, MINUTE_MS),
    ...ALONE,
  }
  const isWanted = (death: Death): boolean => hasJob(death) && plan.isWanted(death)
  return { ...plan, isWanted, notifier: checkRunNotifier(github), outbox, isRepeatable: true, mostUnderWay: 500 }
}

/** Each notice groups anew what waits, which is quick for hundreds; of more a person reads the number only. */
const TOGETHER = { isPerDeath: false, mostWaiting: 500 }
/** Channels with one notice per death: deaths are grouped once and then wait for their turn. */
const ALONE = { isPerDeath: true, mostWaiting: 2000 }

function outboxSettings({ settleMs, windowMs }: NotifyConfig): Pick<NoticeOutboxSettings, 'settleMs' | 'windowMs'> {
  return { settleMs, windowMs }
}

function basePlan({ maxAgeMs }: NotifyConfig, name: string, selection: Selection) {
  refuseStrangeCauses(name, selection)
  const isWanted = (death: Death): boolean => isSelected(death, selection)
  return { name, isWanted, isRemembered: true, mostAgeMs: maxAgeMs }
}

/** A filter for a cause that does not exist would send nothing, and nobody would notice. */
function refuseStrangeCauses(channel: string, { causes }: Selection): void {
  const known = ['unknown', ...CAUSES.map(({ id }) => id)]
  const strange = causes.find((cause) => !known.includes(cause))
  if (strange === undefined) return
  const meant = didYouMean(strange, known).map((cause) => `did you mean ${cause}?`)
  throw new AppFailure('configuration', `notify, ${channel}: there is no cause ${strange}`, meant)
}
