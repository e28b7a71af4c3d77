/** Between a name and what it names stand a colon and a few blanks. */
const MOST_GAP = 200

/** Where the list `items` of a document begins, behind its bracket; null where it has not begun yet. */
export function findItems(head: string): number | null {
  let depth = 0
  for (const match of head.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]]/g)) {
    const [token] = match
    if (token === '{' || token === '[') depth += 1
    else if (token === '}' || token === ']') depth -= 1
    else if (depth === 1 && token === '"items"') {
      const behind = match.index + token.length
      const begin = /^\s*:\s*\[/.exec(head.slice(behind, behind + MOST_GAP))
      if (begin !== null) return behind + begin[0].length
    }
  }
  return null
}
