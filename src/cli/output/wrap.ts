const NARROWEST = 24

/** Breaks lines between words; existing breaks stay. */
export function wrap(text: string, columns: number): string {
  const width = Math.max(NARROWEST, columns)
  return text
    .split('\n')
    .map((line) => wrapLine(line, width))
    .join('\n')
}

function wrapLine(line: string, width: number): string {
  const lines: string[] = []
  let current = ''
  for (const word of line.split(' ')) {
    const longer = current === '' ? word : `${current} ${word}`
    if (longer.length > width && current !== '') {
      lines.push(current)
      current = word
    } else {
      current = longer
    }
  }
  return [...lines, current].join('\n')
}
