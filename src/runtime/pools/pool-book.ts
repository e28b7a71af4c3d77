import { mapSeen, seenList } from '#/core/basics/observed.ts'
import type { Observed } from '#/core/basics/observed.ts'
import { finalizersOf } from '#/core/pools/reconcile/pool-pod.ts'
import { poolScope } from '#/core/pools/pool-scope.ts'
import { readRunnerPool } from '#/core/pools/read-runner-pool.ts'
import type { PoolReading } from '#/core/pools/read-runner-pool.ts'
import type { Kubernetes } from '#/ports/kubernetes.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'
import type { Pools } from '#/ports/pools.ts'
import { createWatchedObjects } from './watched-objects.ts'

/** Keeps a deleted pool until its pods have ended. */
export const DRAIN_FINALIZER = 'signalbox.dev/drain'

/** A pool as somebody declared it, with its mistakes. */
export type DeclaredPool = {
  readonly scope: string
  readonly namespace: string
  readonly name: string
  readonly reading: PoolReading
  readonly isDeleting: boolean
  readonly hasFinalizer: boolean
  /** Null for a pool from a file: there is nothing to write its state to. */
  readonly object: KubeObject | null
}

export type PoolBook = Pools & {
  /** Every pool, those with mistakes and those being deleted too. */
  readonly declared: () => Observed<readonly DeclaredPool[]>
  readonly run: (signal: AbortSignal) => Promise<void>
}

/** RunnerPool objects of the cluster. */
export function watchPools(kubernetes: Pick<Kubernetes, 'watch'>, namespaces: readonly string[] | null): PoolBook {
  const watched = createWatchedObjects(kubernetes, { resource: RESOURCES.runnerPools }, namespaces)
  // An object is read once: whoever asks for the pools asks with every job.
  const known = new WeakMap<KubeObject, DeclaredPool>()
  const declare = (object: KubeObject): DeclaredPool => {
    const declared = known.get(object) ?? fromObject(object)
    known.set(object, declared)
    return declared
  }
  const declared: PoolBook['declared'] = () => mapSeen(watched.all(), (objects) => objects.map(declare))
  return { declared, read: () => onlyUsable(declared()), onChange: watched.onChange, run: watched.run }
}

/** Pools that are not being deleted and have no mistake: no job may wait for another one. */
export function onlyUsable(declared: Observed<readonly DeclaredPool[]>): ReturnType<Pools['read']> {
  if (declared.kind !== 'seen') return declared
  const usable = declared.value.flatMap(({ reading, isDeleting }) =>
    reading.kind === 'valid' && !isDeleting ? [reading.pool] : [],
  )
  return seenList(usable)
}

function fromObject(object: KubeObject): DeclaredPool {
  const { namespace = '', name, deletionTimestamp } = object.metadata
  return {
    scope: poolScope({ namespace, name }),
    namespace,
    name,
    reading: readRunnerPool(object),
    isDeleting: deletionTimestamp !== undefined,
    hasFinalizer: finalizersOf(object).includes(DRAIN_FINALIZER),
    object,
  }
}
