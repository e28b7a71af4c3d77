import type { Notices } from '#/ports/store/notices.ts'

/**
 * Which deaths were sent to which channel. A death is saved before it is sent and again after the channel accepted it, so
 * that after a restart it is `sent`, `unsent` or, if the process was killed in between, `perhaps` sent.
 */
export type SentNotices = {
  readonly standing: (uid: string) => Promise<'sent' | 'perhaps' | 'unsent'>
  readonly begin: (uids: readonly string[], now: number) => Promise<void>
  /** The attempt failed. */
  readonly undo: (uids: readonly string[]) => Promise<void>
  /** The notice counts against the rate limit; null for deaths that are settled without one. */
  readonly done: (uids: readonly string[], notice: string | null, now: number) => Promise<void>
  readonly sentSince: (since: number) => Promise<number>
  /** True for a new channel. */
  readonly open: (now: number) => Promise<boolean>
}

export function createSentNotices(notices: Notices, channel: string): SentNotices {
  // Stored keys keep the name that earlier versions wrote.
  const sent = `${channel}/told`
  const sending = `${channel}/sending`
  return {
    standing: async (uid) => {
      if (await notices.has(sent, uid)) return 'sent'
      return (await notices.has(sending, uid)) ? 'perhaps' : 'unsent'
    },
    begin: async (uids, at) => {
      for (const key of uids) await notices.claim({ channel: sending, key, at })
    },
    undo: async (uids) => {
      for (const uid of uids) await notices.release(sending, uid)
    },
    done: async (uids, notice, at) => {
      if (notice !== null) await notices.claim({ channel, key: notice, at })
      for (const key of uids) await notices.claim({ channel: sent, key, at })
      for (const uid of uids) await notices.release(sending, uid)
    },
    sentSince: (since) => notices.count(channel, since),
    open: async (at) => (await notices.claim({ channel: `${channel}/begun`, key: 'begun', at })) === 'new',
  }
}

/** For a terminal, which starts empty each time. */
export function unrememberedNotices(): SentNotices {
  return {
    standing: async () => 'unsent',
    begin: async () => {},
    undo: async () => {},
    done: async () => {},
    sentSince: async () => 0,
    open: async () => false,
  }
}
