import type { Metrics } from '#/runtime/metrics/metrics.ts'

/** `retried` and `paused` notices are tried again; `refused` and `expired` ones are not. */
export const NOTICE_OUTCOMES = ['sent', 'retried', 'paused', 'refused', 'expired'] as const
export type NoticeOutcome = (typeof NOTICE_OUTCOMES)[number]

export type NotifyMetrics = {
  readonly outcome: (outcome: NoticeOutcome) => void
  readonly waiting: (deaths: number) => void
}

export function notifyMetrics(metrics: Metrics, channel: string): NotifyMetrics {
  const notices = metrics.counter('signalbox_notices_total', 'Notices by channel and outcome.')
  const waiting = metrics.gauge('signalbox_notice_deaths_waiting', 'Deaths that wait to be sent to a channel.')
  for (const outcome of NOTICE_OUTCOMES) notices.add(0, { channel, outcome })
  waiting.set(0, { channel })
  return {
    outcome: (outcome) => notices.add(1, { channel, outcome }),
    waiting: (deaths) => waiting.set(deaths, { channel }),
  }
}
