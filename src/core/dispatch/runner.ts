/**
 * A runner as GitHub names it. GitHub counts ids per owner, so two owners have runners of the same id; the name is ours,
 * and anyone can give it to their own runner. Neither alone identifies a runner.
 */
export type Runner = { readonly id: number | null; readonly name: string }

/** The names match, and the ids too if both sides have one. */
export function isSameRunner(a: Runner, b: Runner): boolean {
  return a.name === b.name && (a.id === null || b.id === null || a.id === b.id)
}

/** Merges a new report about a runner: a known id is never lost. */
export function knownRunner(known: Runner, reported: Runner): Runner {
  return reported.id === null && isSameRunner(known, reported) ? known : reported
}

/** An order of runners, to decide between reports of the same time; a later registration has a higher id. */
export function compareRunners(a: Runner, b: Runner): number {
  const byId = (a.id ?? -1) - (b.id ?? -1)
  if (byId !== 0 || a.name === b.name) return byId
  return a.name < b.name ? -1 : 1
}
