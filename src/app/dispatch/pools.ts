import { randomBytes } from 'node:crypto'
import { readSmallFile } from '#/adapters/files/read-small-file.ts'
import { finalizerActs, kubernetesActs } from '#/adapters/kubernetes/acts.ts'
import { readPoolFiles } from '#/adapters/pools/read-pool-files.ts'
import { readRunnerScripts } from '#/adapters/runner-scripts/read-scripts.ts'
import { AppFailure } from '#/app/part/failure.ts'
import { nothingToDispose } from '#/app/part/part.ts'
import type { Part, PartMeans } from '#/app/part/part.ts'
import { watchedNamespaces } from '#/app/part/watched-namespaces.ts'
import type { DispatchConfig } from '#/config/config.ts'
import { blind } from '#/core/basics/observed.ts'
import { buildPod } from '#/core/pools/build-pod.ts'
import type { PodSettings } from '#/core/pools/pod-settings.ts'
import type { RunnerPool } from '#/core/pools/runner-pool.ts'
import { templateDigest } from '#/core/pools/template-digest.ts'
import { GATES } from '#/gates/index.ts'
import type { Kubernetes } from '#/ports/kubernetes.ts'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'
import type { OwnPods, Pools } from '#/ports/pools.ts'
import type { Ledger } from '#/ports/store/ledger.ts'
import type { Store } from '#/ports/store/store.ts'
import type { KeepMeans } from '#/runtime/ledger/keep-before-act.ts'
import { readPools } from '#/runtime/pools/file-pools.ts'
import type { ReadPoolFiles } from '#/runtime/pools/file-pools.ts'
import { watchOwnPods } from '#/runtime/pools/own-pods.ts'
import { watchPools } from '#/runtime/pools/pool-book.ts'
import type { PoolBook } from '#/runtime/pools/pool-book.ts'
import { createPoolLoops } from '#/runtime/pools/pool-loops.ts'
import { createWatchedObjects } from '#/runtime/pools/watched-objects.ts'

export type PoolsPart = Part & {
  readonly pools: Pools
  /** Every pool that is declared, those with mistakes too. */
  readonly book: Pick<PoolBook, 'declared'>
  readonly ownPods: OwnPods
  /** What pods of this pool are made from now, as in their annotation. */
  readonly templateOf: (pool: RunnerPool) => string
}

type Means = PartMeans & {
  readonly dispatch: DispatchConfig
  readonly kubernetes: Pick<Kubernetes, 'watch' | 'get' | 'create' | 'patch' | 'delete'>
  readonly store: Pick<Store, 'assignments' | 'deaths' | 'wakeups'>
  readonly ledger: Ledger
  readonly keep: Pick<KeepMeans, 'redact' | 'rules'>
}

const NAME_BYTES = 4
const LARGEST_CA = 256 * 1024
/** In one round: a mistake must not remove a fleet at once, and what is left follows in the next. */
const PER_ROUND = { creations: 50, retirements: 20, clearings: 100 }

/** Our own pools: their book and their pods on every replica, and the leader that keeps their size. */
export async function openPools({ dispatch, kubernetes, store, ...means }: Means): Promise<PoolsPart> {
  const { config } = means
  const namespaces = watchedNamespaces(config)
  const settings: PodSettings = {
    url: dispatch.url,
    ca: await readAuthority(config),
    scripts: await readRunnerScripts(),
  }
  const book = dispatch.pools === null ? watchPools(kubernetes, namespaces) : readPools(filesAt(dispatch.pools), means)
  const ownPods = watchOwnPods(kubernetes, namespaces)
  const nodes = createWatchedObjects(kubernetes, { resource: RESOURCES.nodes }, null)
  const templateOf = rememberDigest(settings)
  const loops = createPoolLoops({
    ...means,
    ...store,
    kubernetes,
    book,
    ownPods,
    nodes,
    acts: kubernetesActs(kubernetes),
    finalizers: finalizerActs(kubernetes),
    // What is idle has no registration, and what has ended was ephemeral.
    github: { deregister: async () => blind('not-asked', 'no own pod that is removed here has a registration') },
    gates: GATES,
    templateOf,
    build: (pool, name) => buildPod(pool, settings, name),
    drawName: () => randomBytes(NAME_BYTES).toString('hex'),
    limits: { startsPerNode: dispatch.startsPerNode, ...PER_ROUND },
  })
  return { ...loops, pools: book, book, ownPods, templateOf, dispose: nothingToDispose }
}

/** The one that signed our own certificate: pods do not know it otherwise. */
async function readAuthority({ tls }: PartMeans['config']): Promise<string | null> {
  if (tls === null || tls.caFile === null) return null
  const read = await readSmallFile(tls.caFile, LARGEST_CA)
  if (read.kind === 'read') return read.text
  throw new AppFailure('failed', `cannot read the CA for runner pods: ${tls.caFile}`, ['check tls.caFile'])
}

/** A pool is read again only when it changes, and its digest is asked for in every round. */
function rememberDigest(settings: PodSettings): PoolsPart['templateOf'] {
  const known = new WeakMap<RunnerPool, string>()
  return (pool) => {
    const digest = known.get(pool) ?? templateDigest(pool, settings)
    known.set(pool, digest)
    return digest
  }
}

function filesAt(path: string): ReadPoolFiles {
  return async (signal) => {
    const { pools, problems } = await readPoolFiles(path, signal)
    return { pools, problems: problems.map(({ file, line, why }) => `${file}:${line ?? 1}: ${why}`) }
  }
}
