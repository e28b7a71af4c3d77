/**
 * A runner as GitHub names it. GitHub counts ids per owner, so two owners have runners of the same id; the name is ours,
 * and anybody can give it to a runner of his own. Neither alone says who a runner is.
 */
export type Runner = { readonly id: number | null; readonly name: string }

/** The names agree, and so do the ids where both sides have one. */
export function isSameRunner(a: Runner, b: Runner): boolean {
  return a.name === b.name && (a.id === null || b.id === null || a.id === b.id)
}

/** What is known of a runner after it was told of again: an id is never forgotten. */
export function knownRunner(known: Runner, told: Runner): Runner {
  return told.id === null && isSameRunner(known, told) ? known : told
}

/** An order of runners, to decide between words of the same time; a later registration has a higher id. */
export function compareRunners(a: Runner, b: Runner): number {
  const byId = (a.id ?? -1) - (b.id ?? -1)
  if (byId !== 0 || a.name === b.name) return byId
  return a.name < b.name ? -1 : 1
}
