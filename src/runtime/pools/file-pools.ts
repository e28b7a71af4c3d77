import { blind, seen } from '#/core/basics/observed.ts'
import type { Observed } from '#/core/basics/observed.ts'
import { poolScope } from '#/core/pools/pool-scope.ts'
import type { PoolReading } from '#/core/pools/read-runner-pool.ts'
import type { Clock } from '#/ports/clock.ts'
import { onlyUsable } from './pool-book.ts'
import type { DeclaredPool, PoolBook } from './pool-book.ts'

export type FilePool = { readonly namespace: string; readonly name: string; readonly reading: PoolReading }

/** Blind: a file cannot be read. Then nothing is known of any pool, and no pod goes. */
export type ReadPoolFiles = () => Promise<Observed<readonly FilePool[]>>

const EVERY_MS = 10_000

/** The pools of `dispatch.pools`, read again and again: a file is mounted, and changes without a notice. */
export function readPools(readFiles: ReadPoolFiles, clock: Clock): PoolBook {
  let declared: Observed<readonly DeclaredPool[]> = blind('not-asked', 'the files of the pools were not read yet')
  let last = ''
  const listeners: (() => void)[] = []
  const look = async (): Promise<void> => {
    const files = await readFiles()
    declared = files.kind === 'seen' ? seen(files.value.map(toDeclared)) : files
    const text = JSON.stringify(declared)
    if (text === last) return
    last = text
    for (const listener of listeners) listener()
  }
  return {
    declared: () => declared,
    read: () => onlyUsable(declared),
    onChange: (listener) => void listeners.push(listener),
    run: async (signal) => {
      while (!signal.aborted) {
        await look()
        await clock.sleep(EVERY_MS, signal)
      }
    },
  }
}

function toDeclared({ namespace, name, reading }: FilePool): DeclaredPool {
  const scope = poolScope({ namespace, name })
  return { scope, namespace, name, reading, isDeleting: false, hasFinalizer: false, object: null }
}
