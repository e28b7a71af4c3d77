import type { Observed } from '#/core/basics/observed.ts'
import type { RunnerPool } from '#/core/pools/runner-pool.ts'
import type { KubeObject } from './kubernetes-object.ts'

/** The pools that are declared now; those with a mistake are not among them. Blind until they were read once. */
export type Pools = {
  readonly read: () => Observed<readonly RunnerPool[]>
  /** Called after each change. */
  readonly onChange: (listener: () => void) => void
}

/** The pods of all own pools, as this replica watches them. */
export type OwnPods = {
  /** `none`: the watch is open, and there is no such pod. Blind: it is not open now. */
  readonly byUid: (uid: string) => Observed<KubeObject>
  readonly all: () => Observed<readonly KubeObject[]>
  /** Called once for each pod that was deleted. */
  readonly onGone: (listener: (uid: string) => void) => void
}
