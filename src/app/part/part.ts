import type { Config } from '#/config/config.ts'
import type { LeaderLoop, Loop, LoopMeans } from '#/runtime/lead/loop.ts'
import type { ReadinessCheck, Route } from '#/server/app.ts'

/** One part of the server, as `serve` runs it. A part that gives something to others is a `Part` with more fields. */
export type Part = {
  readonly routes?: readonly Route[]
  /** Run by one replica at a time. */
  readonly leaderLoops?: readonly LeaderLoop[]
  /** Run by every replica. */
  readonly replicaLoops?: readonly Loop[]
  readonly readiness?: readonly ReadinessCheck[]
  /** Called once, after the loops have ended and in the reverse order of opening. */
  readonly dispose: () => Promise<void>
}

/** What every part is given. */
export type PartMeans = LoopMeans & { readonly config: Config }

/** For a part that holds nothing open. */
export const nothingToDispose = async (): Promise<void> => {}
