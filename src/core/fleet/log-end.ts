import { readLogLine } from '#/core/evidence/log-line.ts'

/**
 * How a log ends. `cut`: inside something that its last line opened, or before the time that the line above has; what came
 * after is unknown. `open`: without a line's end, which a program's last words may have too.
 */
export type LogEnd = 'whole' | 'open' | 'cut'

export function logEnd(text: string): LogEnd {
  if (text === '' || text.endsWith('\n')) return 'whole'
  const lastFeed = text.lastIndexOf('\n')
  const last = text.slice(lastFeed + 1)
  const above = lastFeed < 0 ? '' : text.slice(text.lastIndexOf('\n', lastFeed - 1) + 1, lastFeed)
  const isTimeLost = readLogLine(above).at !== null && readLogLine(last).at === null
  // A message of several lines may open on one and close on another: then the line above is open too.
  return isTimeLost || (isInside(last) && !isInside(above)) ? 'cut' : 'open'
}

const OPENING = '{['
const CLOSING = '}]'

/** Whether the line ends within quotes, braces or brackets. */
function isInside(line: string): boolean {
  let depth = 0
  let isQuoted = false
  for (let index = 0; index < line.length; index += 1) {
    const letter = line[index] ?? ''
    if (isQuoted && letter === '\\') index += 1
    else if (letter === '"') isQuoted = !isQuoted
    else if (!isQuoted && OPENING.includes(letter)) depth += 1
    else if (!isQuoted && CLOSING.includes(letter)) depth -= 1
  }
  return isQuoted || depth > 0
}
