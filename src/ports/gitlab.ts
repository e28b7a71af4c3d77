import type { Observed } from '#/core/basics/observed.ts'
import type { JsonObject } from './bundle.ts'

/** What is asked of GitLab. It changes nothing there. */
export type GitLab = {
  /** All runners that serve the group, a page after the other. A list that does not fit is blind. */
  readonly groupRunners: (group: string, signal: AbortSignal) => Promise<Observed<readonly JsonObject[]>>
  /** One runner with what the list leaves out: its tags, and whether it is locked. */
  readonly runner: (id: number, signal: AbortSignal) => Promise<Observed<JsonObject>>
  /** The membership in the group of whoever owns the token; none if that is no member. */
  readonly tokenOwner: (group: string, signal: AbortSignal) => Promise<Observed<JsonObject>>
}
