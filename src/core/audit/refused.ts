import type { Fleet } from '#/core/fleet/fleet.ts'
import { findSource } from '#/core/fleet/find-source.ts'

/**
 * The source was requested and could not be read, so it might contradict a conclusion. A source that was never
 * requested (an audit of files) does not.
 */
export function wasRefused({ snapshot }: Pick<Fleet, 'snapshot'>, source: string): boolean {
  const observed = findSource(snapshot, source)
  return observed.kind === 'blind' && observed.reason.code !== 'not-asked'
}
