import { readLogLine } from '#/core/evidence/log-line.ts'

/**
 * How a log ends. `cut`: inside quotes or braces that its last line opened, or without the timestamp that the line above
 * has; the rest is unknown. `open`: without a newline, which a program's last output may also lack.
 */
export type LogEnd = 'whole' | 'open' | 'cut'

export function logEnd(text: string): LogEnd {
  if (text === '' || text.endsWith('\n')) return 'whole'
  const lastFeed = text.lastIndexOf('\n')
  const last = text.slice(lastFeed + 1)
  const above = lastFeed < 0 ? '' : text.slice(text.lastIndexOf('\n', lastFeed - 1) + 1, lastFeed)
  const isTimeLost = readLogLine(above).at !== null && readLogLine(last).at === null
  // A multi-line message may open on one line and close on another: then the line above is open too.
  return isTimeLost || (isUnclosed(last) && !isUnclosed(above)) ? 'cut' : 'open'
}

const OPENING = '{['
const CLOSING = '}]'

/** Whether the line ends within quotes, braces or brackets. */
function isUnclosed(line: string): boolean {
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
