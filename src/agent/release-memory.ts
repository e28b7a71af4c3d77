import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

type Collect = (options: {
  readonly type: 'major'
  readonly execution: 'sync'
  /** Also drops caches and compiled code that was not used lately, and returns the pages to the kernel. */
  readonly flavor: 'last-resort'
}) => void

/**
 * Collects garbage now. An agent that is idle allocates next to nothing, so V8 would keep what a burst left for hours, and the node
 * would have that much less for its runners.
 */
export function createRelease(): () => void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as Collect
  return () => collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}
