import { textAt } from '#/core/basics/fields.ts'
import type { Fleet, Runner } from '#/core/fleet/fleet.ts'

/** What GitHub's list says of a runner. `absent` is a statement of a complete list, `unknown` the lack of one. */
export type GitHubWord =
  | { readonly kind: 'listed'; readonly isOnline: boolean; readonly isBusy: boolean }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unknown'; readonly why: string }

/** A list is that of one organisation or repository: of a runner that is registered elsewhere it says nothing. */
export function githubWords(fleet: Fleet): (runner: Runner) => GitHubWord {
  const places = new Set([...fleet.runners.map(placeOf), ...fleet.sets.map(({ configUrl }) => configUrl ?? '')])
  const covered = new Set(fleet.runners.filter(({ github }) => github !== null).map(placeOf))
  const isRead = fleet.saw('github/runners')
  const isOurs = covered.size > 0 || fleet.githubRunners.length === 0 || knowsLabelOf(fleet)
  return (runner) => {
    const { github } = runner
    if (github !== null) return { kind: 'listed', isOnline: github.isOnline, isBusy: github.isBusy }
    if (!isRead) return { kind: 'unknown', why: "GitHub's list of runners could not be read" }
    const place = placeOf(runner)
    if (covered.has(place) || (places.size <= 1 && isOurs)) return { kind: 'absent' }
    return { kind: 'unknown', why: `GitHub's list has no runner of ${place} at all: it may be that of another place` }
  }
}

/** A list with runners, but none of ours, may be that of somebody else, unless it knows a label of ours. */
function knowsLabelOf({ githubRunners, sets }: Fleet): boolean {
  const labels = new Set(sets.flatMap(({ runsOn }) => runsOn.map((label) => label.toLowerCase())))
  return githubRunners.some((runner) => runner.labels.some((label) => labels.has(label.toLowerCase())))
}

function placeOf({ raw }: Runner): string {
  return textAt(raw, 'spec', 'githubConfigUrl')?.replace(/\/+$/, '') ?? ''
}

/** Whether GitHub itself says that the runner works on nothing. */
export function isNotBusy(word: GitHubWord): boolean {
  return word.kind === 'absent' || (word.kind === 'listed' && !word.isBusy)
}

/** Offline and not busy, or not there at all. */
export function isGone(word: GitHubWord): boolean {
  return word.kind === 'absent' || (word.kind === 'listed' && !word.isBusy && !word.isOnline)
}

export function printWord(word: GitHubWord): string {
  switch (word.kind) {
    case 'listed':
      return `GitHub lists it as ${word.isOnline ? 'online' : 'offline'} and ${word.isBusy ? 'busy' : 'not busy'}`
    case 'absent':
      return "GitHub's complete list does not have it"
    case 'unknown':
      return word.why
  }
}
