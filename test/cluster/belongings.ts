import type { ProcessIdentity } from './process-identity.ts'

/** Something that a cluster created and that must be removed with it. */
export type Belonging =
  | { readonly kind: 'process'; readonly identity: ProcessIdentity; readonly ending: 'SIGKILL' | 'SIGTERM' }
  /** The cluster's own folder: processes and mounts that name it are the cluster's as well. */
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 'cgroup'; readonly name: string }
  /** The node's address on the loopback interface. */
  | { readonly kind: 'address' }
  /** A path outside the folder that did not exist before and that only this cluster's programs use. */
  | { readonly kind: 'outside-path'; readonly path: string }
  /** A folder that other programs of the machine may use too: only what this cluster left in it goes. */
  | { readonly kind: 'shared-folder'; readonly path: string }
  /** The same while other nodes run: only links into this cluster's folder go, and no folder. */
  | { readonly kind: 'links-in'; readonly path: string }

/** What the guardian says when it is done; empty when nothing is left. */
export interface Leftovers {
  readonly left: readonly string[]
}
