import { redact } from '#/adapters/redaction/redact.ts'
import type { Death } from '#/core/recorder/death.ts'
import { createChannel } from '#/runtime/notify/channel.ts'
import type { ChannelPlan, NotifyMeans } from '#/runtime/notify/channel.ts'
import type { Channels } from './channels.ts'
import type { Part } from '#/app/part/part.ts'

export type NotificationsPart = Part & {
  /** Every channel gets the death and decides whether it sends it. */
  readonly publish: (death: Death) => void
  /** The store has deaths that were not published. */
  readonly lookAgain: () => void
}

const AFTER_FAULT_MS = 5000

/** The notices of the given plans; what the channels hold open is closed with the part. */
export function openNotifications(
  { plans, channels }: { readonly plans: readonly ChannelPlan[]; readonly channels: Channels },
  means: Omit<NotifyMeans, 'redact' | 'random'>,
): NotificationsPart {
  const running = plans.map((plan) => createChannel(plan, { ...means, redact, random: Math.random }))
  return {
    publish: (death) => {
      for (const channel of running) channel.notify(death)
    },
    lookAgain: () => {
      for (const channel of running) channel.lookAgain()
    },
    leaderLoops: running.map(({ name, run }) => ({ name: `notify ${name}`, everyMs: AFTER_FAULT_MS, run })),
    dispose: async () => channels[Symbol.asyncDispose](),
  }
}
