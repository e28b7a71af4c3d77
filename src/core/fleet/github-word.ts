import { textAt } from '#/core/basics/fields.ts'
import type { Fleet, Runner } from '#/core/fleet/fleet.ts'

/** A runner's status in GitHub's list. `absent` needs a complete list; without one it is `unknown`. */
export type GitHubWord =
  | { readonly kind: 'listed'; readonly isOnline: boolean; readonly isBusy: boolean }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unknown'; readonly why: string }

/** A list covers one organisation or repository: a runner registered elsewhere is unknown. */
export function githubWords(fleet: Fleet): (runner: Runner) => GitHubWord {
  const places = new Set([...fleet.runners.map(placeOf), ...fleet.sets.map(({ configUrl }) => configUrl ?? '')])
  const covered = new Set(fleet.runners.filter(({ github }) => github !== null).map(placeOf))
  const isRead = fleet.saw('github/runners')
  const isOurs = covered.size > 0 || fleet.githubRunners.length === 0 || knowsLabelOf(fleet)
  return (runner) => {
    const { github } = runner
    if (github !== null) return { kind: 'listed', isOnline: github.isOnline, isBusy: github.isBusy }
    if (!isRead) return { kind: 'unknown', why: "GitHub's runner list could not be read" }
    const place = placeOf(runner)
    if (covered.has(place) || (places.size <= 1 && isOurs)) return { kind: 'absent' }
    return {
      kind: 'unknown',
      why: `GitHub's list has no runner of ${place}: it may be the list of another organisation or repository`,
    }
  }
}

/** A list with none of our runners may belong to somebody else, unless it has one of our labels. */
function knowsLabelOf({ githubRunners, sets }: Fleet): boolean {
  const labels = new Set(sets.flatMap(({ runsOn }) => runsOn.map((label) => label.toLowerCase())))
  return githubRunners.some((runner) => runner.labels.some((label) => labels.has(label.toLowerCase())))
}

function placeOf({ raw }: Runner): string {
  return textAt(raw, 'spec', 'githubConfigUrl')?.replace(/\/+$/, '') ?? ''
}

/** GitHub says that the runner has no job. */
export function isNotBusy(word: GitHubWord): boolean {
  return word.kind === 'absent' || (word.kind === 'listed' && !word.isBusy)
}

/** Offline and not busy, or not listed. */
export function isGone(word: GitHubWord): boolean {
  return word.kind === 'absent' || (word.kind === 'listed' && !word.isBusy && !word.isOnline)
}

export function printWord(word: GitHubWord): string {
  switch (word.kind) {
    case 'listed':
      return `GitHub lists it as ${word.isOnline ? 'online' : 'offline'} and ${word.isBusy ? 'busy' : 'not busy'}`
    case 'absent':
      return "GitHub's complete list does not contain it"
    case 'unknown':
      return word.why
  }
}
