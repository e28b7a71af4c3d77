import type { RunnerPool } from './runner-pool.ts'

/** What a job asks for. */
export type JobDemand = { readonly repository: string; readonly labels: readonly string[] }

type Declared = Pick<RunnerPool, 'namespace' | 'name' | 'labels' | 'github'>

export type PoolMatch<P extends Declared = RunnerPool> =
  | { readonly kind: 'pool'; readonly pool: P }
  /** `nearest`: a pool that has a part of the labels, and which it lacks. */
  | { readonly kind: 'no-pool'; readonly nearest: { readonly pool: P; readonly lacks: readonly string[] } | null }
  | { readonly kind: 'ambiguous-pool'; readonly pools: readonly P[] }

/** Every pool has this label, whether it declares it or not. */
const IMPLIED = 'self-hosted'

/** What a runner of the pool is registered with: GitHub gives a job with `self-hosted` only to a runner that has it. */
export function runnerLabels({ labels }: Pick<RunnerPool, 'labels'>): readonly string[] {
  return labels.some((label) => label.toLowerCase() === IMPLIED) ? labels : [IMPLIED, ...labels]
}

/**
 * The pool whose runners GitHub would give the job to: all labels of the job are among those of the pool. Where several
 * fit, the one with the fewest other labels is meant, so that a plain job does not take a runner with a GPU.
 */
export function findPool<P extends Declared>(job: JobDemand, pools: readonly P[]): PoolMatch<P> {
  const wanted = [...new Set(job.labels.map((label) => label.toLowerCase()))].filter((label) => label !== IMPLIED)
  const serving = pools.filter((pool) => serves(pool, job.repository))
  const rated = serving.map((pool) => {
    const has = new Set(pool.labels.map((label) => label.toLowerCase()))
    return { pool, lacks: wanted.filter((label) => !has.has(label)), size: new Set([...has, IMPLIED]).size }
  })
  const fitting = rated.filter(({ lacks }) => lacks.length === 0)
  const fewest = Math.min(...fitting.map(({ size }) => size))
  const [best, ...others] = fitting.filter(({ size }) => size === fewest)
  if (best === undefined) return { kind: 'no-pool', nearest: findNearest(rated, wanted.length) }
  if (others.length > 0) return { kind: 'ambiguous-pool', pools: [best, ...others].map(({ pool }) => pool) }
  return { kind: 'pool', pool: best.pool }
}

/** GitHub could give a job of this repository to a runner of the pool. */
export function serves({ github }: Pick<Declared, 'github'>, repository: string): boolean {
  const [owner = '', name = ''] = repository.toLowerCase().split('/')
  if (github.owner.toLowerCase() !== owner) return false
  return github.scope === 'organization' || github.repositories.some((one) => one.toLowerCase() === name)
}

/** Only one that has at least one of the labels: the others are not meant at all. */
function findNearest<P>(
  rated: readonly { readonly pool: P; readonly lacks: readonly string[] }[],
  wanted: number,
): { readonly pool: P; readonly lacks: readonly string[] } | null {
  const partly = rated.filter(({ lacks }) => lacks.length < wanted)
  const [nearest] = partly.toSorted((a, b) => a.lacks.length - b.lacks.length)
  return nearest === undefined ? null : { pool: nearest.pool, lacks: nearest.lacks }
}
