import type { Death } from '#/core/recorder/death.ts'
import type { NoticeOutboxSettings } from '#/core/notify/notice-outbox.ts'
import type { Clock } from '#/ports/clock.ts'
import type { Log } from '#/ports/log.ts'
import type { Notifier } from '#/ports/notifier.ts'
import type { Store } from '#/ports/store/store.ts'
import type { Metrics } from '#/runtime/metrics/metrics.ts'
import { createNoticeSender } from './notice-sender.ts'
import { createIntake } from './intake.ts'
import { notifyMetrics } from './notify-metrics.ts'
import type { NotifyMetrics } from './notify-metrics.ts'
import { steadyTime } from './steady-time.ts'
import { createSentNotices, unrememberedNotices } from './sent-notices.ts'
import type { SentNotices } from './sent-notices.ts'

export type ChannelPlan = {
  readonly name: string
  readonly notifier: Notifier
  readonly isWanted: (death: Death) => boolean
  readonly outbox: NoticeOutboxSettings
  /** False for a terminal: it reports only what happens while it runs. */
  readonly isRemembered: boolean
  /** A notice that may have been sent before a restart can be sent again, because it replaces the first. */
  readonly isRepeatable: boolean
  /** Notices that are being sent or wait for a retry. */
  readonly mostUnderWay: number
  /** A notice that could not be sent for this long is given up, and its deaths are only counted. */
  readonly mostAgeMs: number
}

export type NotifyMeans = {
  readonly store: Pick<Store, 'notices' | 'deaths'>
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
  readonly redact: (text: string) => string
  /** From 0 to 1. */
  readonly random: () => number
}

export type Channel = {
  readonly name: string
  readonly notify: (death: Death) => void
  /** The store has deaths that nobody has notified: those that waited in the spool of a process before this one. */
  readonly lookAgain: () => void
  /** Sends until the signal; the next run finds the rest in the store. */
  readonly run: (signal: AbortSignal) => Promise<void>
}

/** What the parts of a running channel share. */
export type Running = NotifyMeans & {
  readonly plan: ChannelPlan
  readonly sentNotices: SentNotices
  readonly counts: NotifyMetrics
  /** For waits and ages; the clock is for times that are stored or shown. */
  readonly steady: () => number
}

const LONGEST_SLEEP_MS = 60_000
const MOST_UNREAD = 10_000

export function createChannel(plan: ChannelPlan, means: NotifyMeans): Channel {
  const { clock } = means
  const sentNotices = plan.isRemembered ? createSentNotices(means.store.notices, plan.name) : unrememberedNotices()
  const shared = { ...means, plan, sentNotices, counts: notifyMetrics(means.metrics, plan.name) }
  const unread: Death[] = []
  let hasMissed = false
  let wake = new AbortController()

  const sleep = async (forMs: number, signal: AbortSignal): Promise<void> => {
    const ms = Math.min(LONGEST_SLEEP_MS, Math.max(1, forMs))
    if (!wake.signal.aborted) await clock.sleep(ms, AbortSignal.any([signal, wake.signal]))
    wake = new AbortController()
  }
  return {
    name: plan.name,
    notify: (death) => {
      if (!plan.isWanted(death)) return
      if (unread.length >= MOST_UNREAD) hasMissed = true
      else unread.push(death)
      wake.abort()
    },
    lookAgain: () => {
      hasMissed = true
      wake.abort()
    },
    run: async (signal) => {
      // Another replica may have sent notices meanwhile: the store counts, not our memory.
      const running: Running = { ...shared, steady: steadyTime(clock) }
      const sender = createNoticeSender(running)
      const intake = createIntake(running, sender)
      await intake.open(signal)
      while (!signal.aborted) {
        if (hasMissed && unread.length === 0) {
          hasMissed = false
          await intake.catchUp(signal)
        }
        const isTaken = await intake.take(unread, signal)
        const next = isTaken ? await sender.step(signal) : null
        if (next === 'again' || (isTaken && unread.length > 0)) continue
        await sleep(isTaken ? (next ?? Infinity) - running.steady() : AWAY_MS, signal)
      }
    },
  }
}

const AWAY_MS = 1000
