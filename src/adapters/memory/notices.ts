import type { Notices } from '#/ports/store/notices.ts'
import type { Tables } from './tables.ts'

export function memoryNotices({ notices }: Tables): Notices {
  const noticeId = (channel: string, key: string): string => JSON.stringify([channel, key])
  return {
    claim: async ({ channel, key, at }) => {
      const id = noticeId(channel, key)
      if (notices.has(id)) return 'repeated'
      notices.set(id, { channel, key, at })
      return 'new'
    },
    release: async (channel, key) => {
      notices.delete(noticeId(channel, key))
    },
    has: async (channel, key) => notices.has(noticeId(channel, key)),
    count: async (channel, since) =>
      [...notices.values()].filter((one) => one.channel === channel && one.at >= since).length,
  }
}
