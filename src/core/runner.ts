/** A runner as GitHub names it. The id is GitHub's and unique; the name is ours and can be claimed by anybody. */
export type Runner = { readonly id: number | null; readonly name: string }

/** Ids decide where both sides have one; a name decides only where an id is missing. */
export function isSameRunner(a: Runner, b: Runner): boolean {
  return a.id !== null && b.id !== null ? a.id === b.id : a.name === b.name
}
