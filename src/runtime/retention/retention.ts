import type { Retention, RetentionPolicy } from '#/ports/store/retention.ts'
import type { Loop, LoopMeans } from '#/runtime/lead/loop.ts'

export const EVERY_TEN_MINUTES_MS = 10 * 60_000

/** Keeps the store within its ages and bytes. */
export function retentionLoop(
  options: LoopMeans & { readonly retention: Retention; readonly policy: RetentionPolicy },
): Loop {
  const removed = options.metrics.counter('signalbox_retention_removed_total', 'Rows that retention removed.')
  const bytes = options.metrics.gauge('signalbox_evidence_bytes', 'Stored bytes of evidence.')
  return {
    name: 'retention',
    everyMs: EVERY_TEN_MINUTES_MS,
    run: async () => {
      const { evidenceBytesLeft, ...rows } = await options.retention.sweep(options.policy, options.clock.now())
      bytes.set(evidenceBytesLeft)
      for (const [table, count] of Object.entries(rows)) removed.add(count, { table })
      const total = Object.values(rows).reduce((sum, count) => sum + count, 0)
      if (total > 0) options.log.info('retention removed rows', { ...rows, evidenceBytesLeft })
    },
  }
}
