import type { RuntimeView } from '#/core/fleet/traps/view.ts'
import type { CandidateNow } from '#/ports/act-candidate.ts'

/** What earlier reads of this run showed of GitHub's runners, and what we removed there ourselves. */
export type GitHubMemory = {
  /** Runners that are ready and that we have not removed: while there are any, GitHub's list cannot be empty. */
  readonly countReady: (view: RuntimeView) => number
  /** A list that is empty and was not before is no proof that a runner is gone. */
  readonly checkAgainstBefore: (now: CandidateNow, view: RuntimeView) => CandidateNow
  readonly note: (view: RuntimeView) => void
}

export function rememberGitHub(isRemoved: (id: number) => boolean): GitHubMemory {
  let before: readonly (number | null)[] = []
  const note = ({ fleet }: RuntimeView): void => {
    if (fleet.githubRunners.length > 0) before = fleet.githubRunners.map(({ id }) => id)
  }
  const isOurs = (id: number | null): boolean => id !== null && isRemoved(id)
  return {
    note,
    countReady: ({ fleet }) =>
      fleet.runners.filter(({ ready, runnerId }) => ready === true && !isOurs(runnerId)).length,
    checkAgainstBefore: (now, view) => {
      const left = before.filter((id) => !isOurs(id)).length
      note(view)
      if (left === 0) return now
      return { ...now, runners: now.runners.map((runner) => withProofOfRows(runner, left)) }
    },
  }
}

function withProofOfRows(runner: CandidateNow['runners'][number], rows: number): CandidateNow['runners'][number] {
  const { snapshot } = runner
  const lists = snapshot.lists.map((list) =>
    list.source === 'github/runners' && list.notEmpty === null
      ? { ...list, notEmpty: `it had ${rows} rows in the read before` }
      : list,
  )
  return { ...runner, snapshot: { ...snapshot, lists } }
}
