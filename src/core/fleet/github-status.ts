import { textAt } from '#/core/basics/fields.ts'
import type { Fleet, Runner } from './fleet.ts'

/** A runner's status in GitHub's list. `absent` needs a complete list; without one it is `unknown`. */
export type GitHubStatus =
  | { readonly kind: 'listed'; readonly isOnline: boolean; readonly isBusy: boolean }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unknown'; readonly why: string }

/** A list covers one organisation or repository: a runner registered elsewhere is unknown. */
export function githubStatusFinder(fleet: Fleet): (runner: Runner) => GitHubStatus {
  const places = new Set([...fleet.runners.map(readConfigUrl), ...fleet.sets.map(({ configUrl }) => configUrl ?? '')])
  const covered = new Set(fleet.runners.filter(({ github }) => github !== null).map(readConfigUrl))
  const isRead = fleet.saw('github/runners')
  const isOurs = covered.size > 0 || fleet.githubRunners.length === 0 || hasKnownLabel(fleet)
  return (runner) => {
    const { github } = runner
    if (github !== null) return { kind: 'listed', isOnline: github.isOnline, isBusy: github.isBusy }
    if (!isRead) return { kind: 'unknown', why: "GitHub's runner list could not be read" }
    const place = readConfigUrl(runner)
    if (covered.has(place) || (places.size <= 1 && isOurs)) return { kind: 'absent' }
    return {
      kind: 'unknown',
      why: `GitHub's list has no runner of ${place}: it may be the list of another organisation or repository`,
    }
  }
}

/** A list with none of our runners may belong to somebody else, unless it has one of our labels. */
function hasKnownLabel({ githubRunners, sets }: Fleet): boolean {
  const labels = new Set(sets.flatMap(({ runsOn }) => runsOn.map((label) => label.toLowerCase())))
  return githubRunners.some((runner) => runner.labels.some((label) => labels.has(label.toLowerCase())))
}

function readConfigUrl({ raw }: Runner): string {
  return textAt(raw, 'spec', 'githubConfigUrl')?.replace(/\/+$/, '') ?? ''
}

/** GitHub says that the runner has no job. */
export function isNotBusy(status: GitHubStatus): boolean {
  return status.kind === 'absent' || (status.kind === 'listed' && !status.isBusy)
}

/** Offline and not busy, or not listed. */
export function isGone(status: GitHubStatus): boolean {
  return status.kind === 'absent' || (status.kind === 'listed' && !status.isBusy && !status.isOnline)
}

export function describeGitHubStatus(status: GitHubStatus): string {
  switch (status.kind) {
    case 'listed':
      return `GitHub lists it as ${status.isOnline ? 'online' : 'offline'} and ${status.isBusy ? 'busy' : 'not busy'}`
    case 'absent':
      return "GitHub's complete list does not contain it"
    case 'unknown':
      return status.why
  }
}
