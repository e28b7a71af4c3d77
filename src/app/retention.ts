import type { Retention } from '#/ports/store/retention.ts'
import { retentionLoop } from '#/runtime/retention/retention.ts'
import { nothingToDispose } from '#/app/part/part.ts'
import type { Part, PartMeans } from '#/app/part/part.ts'

/** Keeps the store within the ages and bytes of the configuration. */
export function openRetention({ config, ...means }: PartMeans, retention: Retention): Part {
  return {
    leaderLoops: [retentionLoop({ ...means, retention, policy: config.retention })],
    dispose: nothingToDispose,
  }
}
