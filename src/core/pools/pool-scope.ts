import type { RunnerPool } from './runner-pool.ts'

/** The scope in which jobs and slots of a pool are matched. */
export function poolScope({ namespace, name }: Pick<RunnerPool, 'namespace' | 'name'>): string {
  return `${namespace}/${name}`
}
