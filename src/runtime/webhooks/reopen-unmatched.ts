import { UNMATCHED_OUTCOMES } from '#/core/webhooks/outcome.ts'
import type { PoolFacts } from '#/core/webhooks/own-runner.ts'
import { moveJobs } from './move-jobs.ts'
import type { Clock } from '#/ports/clock.ts'
import type { Log } from '#/ports/log.ts'
import type { Pools } from '#/ports/pools.ts'
import type { Assignments } from '#/ports/store/assignments.ts'
import type { Deliveries } from '#/ports/store/deliveries.ts'

export type ReopenMeans = {
  readonly pools: Pools
  readonly deliveries: Pick<Deliveries, 'reopen'>
  readonly assignments: Pick<Assignments, 'jobs' | 'involved' | 'commit'>
  readonly clock: Pick<Clock, 'now'>
  readonly log: Pick<Log, 'info' | 'warn'>
  readonly reopened: () => void
}

/** Jobs that wait longer are found by the scan of queued jobs. */
const RECEIVED_WITHIN_MS = 3_600_000
const MOST = 1000

/**
 * A job that no pool fitted waits at GitHub. Where somebody declares the pool for it, or corrects its labels, what was
 * received of late is looked at again; the latest deliveries, so that of each job its end is among them. Queued jobs go to
 * the pool that fits them now.
 */
export function reopenOnPoolChange({ pools, reopened, log, ...means }: ReopenMeans): void {
  let known: string | null = null
  const look = async (): Promise<void> => {
    const read = pools.read()
    if (read.kind === 'blind') return
    const matched = read.kind === 'seen' ? describeMatching(read.value) : ''
    if (matched === known) return
    const former = known
    known = matched
    try {
      const moved = read.kind === 'seen' ? await moveJobs(read.value, means) : 0
      if (moved > 0)
        log.info('the pools have changed: queued jobs went to the pool that fits them now', { jobs: moved })
      const count = await reopenRecent(means)
      if (count === 0) return
      log.info('the pools have changed: webhooks that fitted none are looked at again', { count })
      reopened()
    } catch (error) {
      // Looked at again with the next change.
      known = former
      log.warn('cannot look at webhooks again', { why: error instanceof Error ? error.message : String(error) })
    }
  }
  pools.onChange(() => void look())
  void look()
}

function reopenRecent({ deliveries, clock }: Pick<ReopenMeans, 'deliveries' | 'clock'>): Promise<number> {
  const receivedSince = clock.now() - RECEIVED_WITHIN_MS
  return deliveries.reopen({ outcomes: UNMATCHED_OUTCOMES, receivedSince, limit: MOST })
}

/** What decides which pool a job fits; a change of a size reopens nothing. */
function describeMatching(pools: readonly PoolFacts[]): string {
  const one = ({ namespace, name, labels, github }: PoolFacts): string =>
    JSON.stringify([namespace, name, labels, github.scope, github.owner, github.repositories])
  return pools.map(one).toSorted().join('\n')
}
