import { blind, seen } from '#/core/basics/observed.ts'
import type { Observed } from '#/core/basics/observed.ts'
import { poolScope } from '#/core/pools/pool-scope.ts'
import type { RunnerPool } from '#/core/pools/runner-pool.ts'
import type { Clock } from '#/ports/clock.ts'
import type { Log } from '#/ports/log.ts'
import { onlyUsable } from './pool-book.ts'
import type { DeclaredPool, PoolBook } from './pool-book.ts'

/** The pools of all files; problems name what could not be read, and then the pools are not all. */
export type ReadPoolFiles = (
  signal: AbortSignal,
) => Promise<{ readonly pools: readonly RunnerPool[]; readonly problems: readonly string[] }>

const EVERY_MS = 10_000

/**
 * The pools of `dispatch.pools`, read again and again: a file is mounted, and changes without a notice. While a file has a
 * mistake the pools stay as they were: one that is not in the files would lose its pods.
 */
export function readPools(
  readFiles: ReadPoolFiles,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): PoolBook {
  let declared: Observed<readonly DeclaredPool[]> = blind('not-asked', 'the files of the pools were not read yet')
  let last = ''
  const listeners: (() => void)[] = []
  const look = async (signal: AbortSignal): Promise<void> => {
    const { pools, problems } = await readFiles(signal)
    const text = JSON.stringify([pools.map(withMaps), problems])
    if (signal.aborted || text === last) return
    last = text
    const why = problems.join('; ')
    if (why !== '') log.warn('the files of the pools have mistakes: the pools stay as they were', { why })
    if (why === '') declared = seen(pools.map(toDeclared))
    else if (declared.kind === 'blind') declared = blind('malformed', why)
    for (const listener of listeners) listener()
  }
  return {
    declared: () => declared,
    read: () => onlyUsable(declared),
    onChange: (listener) => void listeners.push(listener),
    run: async (signal) => {
      while (!signal.aborted) {
        await look(signal)
        await clock.sleep(EVERY_MS, signal)
      }
    },
  }
}

/** JSON knows no maps. */
function withMaps({ fairness, ...pool }: RunnerPool): object {
  return { ...pool, fairness: Object.values(fairness).map((map) => Array.from(map)) }
}

function toDeclared(pool: RunnerPool): DeclaredPool {
  const { namespace, name } = pool
  const reading = { kind: 'valid', pool } as const
  return { scope: poolScope(pool), namespace, name, reading, isDeleting: false, hasFinalizer: false, object: null }
}
