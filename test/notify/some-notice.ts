import type { Death } from '#/core/recorder/death.ts'
import type { Notice } from '#/core/notify/notice.ts'
import { NOON_MS } from '#test/github/hand-clock.ts'

/** Of deaths on one node. */
export function someNotice(deaths: readonly Death[], more: Partial<Notice> = {}): Notice {
  const [first, ...rest] = deaths
  const about =
    first === undefined
      ? null
      : ({
          shared: { by: 'node', node: first.node ?? '' },
          deaths: [first, ...rest],
          others: 0,
          from: NOON_MS,
          to: NOON_MS,
        } as const)
  return { id: 'notice-1', issuedAt: NOON_MS, since: NOON_MS, about, more: null, isTest: false, ...more }
}
