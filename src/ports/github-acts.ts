import type { Blind } from '#/core/basics/observed.ts'
import type { Registration } from './github-place.ts'

/** What removes something at GitHub. Only src/runtime/act may use it (lint). */
export type GitHubActs = {
  readonly deregister: (runner: RunnerAtGitHub, signal: AbortSignal) => Promise<DeregisterAnswer>
}

export type RunnerAtGitHub = { readonly at: Registration; readonly id: number }

/** `busy`: GitHub refuses to remove a runner that has a job. */
export type DeregisterAnswer =
  | { readonly kind: 'removed' }
  | { readonly kind: 'busy' }
  | { readonly kind: 'absent' }
  | Blind
