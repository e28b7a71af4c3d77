import type { GitHubActs } from '#/ports/github-acts.ts'

/** Which runners we removed from GitHub's list ourselves: that the list is empty afterwards is no partial read. */
export type RememberedRemovals = {
  readonly github: GitHubActs
  readonly has: (id: number) => boolean
  /** One that an earlier process may have removed. */
  readonly add: (id: number) => void
}

export function rememberRemovals(github: GitHubActs): RememberedRemovals {
  const removed = new Set<number>()
  return {
    github: {
      deregister: async (runner, signal) => {
        const answer = await github.deregister(runner, signal)
        if (answer.kind === 'removed') removed.add(runner.id)
        return answer
      },
    },
    has: (id) => removed.has(id),
    add: (id) => void removed.add(id),
  }
}
