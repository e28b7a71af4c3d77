import { expect, test } from 'vitest'
import { memoryStore } from '#/adapters/memory/store.ts'
import { createSentNotices } from './sent-notices.ts'

test('asking whether a death was sent writes nothing: killed there, it would look sent', async () => {
  const { notices } = memoryStore()
  const written: string[] = []
  const watched: typeof notices = {
    ...notices,
    claim: async (notice) => {
      written.push(notice.channel)
      return await notices.claim(notice)
    },
  }
  expect(await createSentNotices(watched, 'chat').standing('a')).toBe('unsent')
  expect(written).toEqual([])
})

test('what was being sent when the process died may have been sent', async () => {
  const { notices } = memoryStore()
  await createSentNotices(notices, 'chat').begin(['a', 'b', 'c'], 1)
  const next = createSentNotices(notices, 'chat')
  await next.done(['b'], 'n1', 2)
  await next.undo(['c'])
  expect(await Promise.all(['a', 'b', 'c'].map((uid) => next.standing(uid)))).toEqual(['perhaps', 'sent', 'unsent'])
})
