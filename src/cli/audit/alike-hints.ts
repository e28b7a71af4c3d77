/** Two hints are alike if they differ only in names and numbers. */
export function areAlike(a: string, b: string, names: ReadonlySet<string>): boolean {
  if (a === b) return true
  const [left, right] = [a.split(/\s+/), b.split(/\s+/)]
  return (
    left.length === right.length &&
    left.every((word, index) => {
      const other = right[index] ?? ''
      return word === other || (isName(word, names) && isName(other, names))
    })
  )
}

/** A word with a digit or a mark inside is a name or a number; others are if a finding is about them. */
function isName(word: string, names: ReadonlySet<string>): boolean {
  const bare = word.replace(/^[("'‘“[{]+|[)"'’”\]},.;:]+$/g, '')
  return /\d|[^\s'’][/_.=-][^\s]/.test(bare) || names.has(bare)
}
