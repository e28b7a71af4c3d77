/** Longer words are not typos, and the cost grows with the product of the lengths. */
const LONGEST_WORD = 64
const MOST_SUGGESTIONS = 3
/** A third of the word, but no more than this: long words share prefixes by chance. */
const MOST_SLIPS = 3

/** The known words closest to a mistyped one, nearest first; empty if none is close. */
export function didYouMean(word: string, known: readonly string[]): readonly string[] {
  if (word.length === 0 || word.length > LONGEST_WORD) return []
  const typed = word.toLowerCase()
  const reach = Math.min(MOST_SLIPS, Math.max(1, Math.round(typed.length / 3)))
  return known
    .filter((candidate) => candidate.length <= LONGEST_WORD)
    .map((candidate) => ({ candidate, distance: nearness(typed, candidate.toLowerCase()) }))
    .filter(({ distance }) => distance <= reach)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, MOST_SUGGESTIONS)
    .map(({ candidate }) => candidate)
}

/** An unfinished word counts like one with a single typo. */
function nearness(typed: string, candidate: string): number {
  const unfinished = typed.length >= 2 && candidate.startsWith(typed)
  return unfinished ? Math.min(1, editDistance(typed, candidate)) : editDistance(typed, candidate)
}

/** Damerau–Levenshtein: insertions, deletions, substitutions and swaps of neighbours, each counted once. */
export function editDistance(a: string, b: string): number {
  const far = a.length + b.length
  const width = b.length + 2
  const table = new Uint32Array((a.length + 2) * width).fill(far)
  const at = (row: number, column: number): number => table[(row + 1) * width + column + 1] ?? far
  const set = (row: number, column: number, value: number): void => {
    table[(row + 1) * width + column + 1] = value
  }
  for (let row = 0; row <= a.length; row++) set(row, 0, row)
  for (let column = 0; column <= b.length; column++) set(0, column, column)

  const lastRowByCharacter = new Map<string | undefined, number>()
  for (let row = 1; row <= a.length; row++) {
    let lastMatch = 0
    for (let column = 1; column <= b.length; column++) {
      const swapRow = lastRowByCharacter.get(b[column - 1]) ?? 0
      const swapColumn = lastMatch
      const same = a[row - 1] === b[column - 1]
      if (same) lastMatch = column
      set(
        row,
        column,
        Math.min(
          at(row - 1, column - 1) + (same ? 0 : 1),
          at(row, column - 1) + 1,
          at(row - 1, column) + 1,
          at(swapRow - 1, swapColumn - 1) + (row - swapRow - 1) + 1 + (column - swapColumn - 1),
        ),
      )
    }
    lastRowByCharacter.set(a[row - 1], row)
  }
  return at(a.length, b.length)
}
