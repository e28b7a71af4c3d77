/** A CRI log line: time, stream, full or partial, text. */
const CRI_LINE = /^(\d{4}-\d\d-\d\dT\S+) std(?:out|err) ([FP])(?::\S*)? ?(.*)$/s

/** The log as the kubelet serves it: each line with its time, partial lines joined. */
export function readCriLog(raw: string): string {
  const lines: string[] = []
  let begun: { readonly time: string; text: string } | null = null
  for (const line of raw.split('\n')) {
    if (line === '') continue
    const match = CRI_LINE.exec(line)
    if (match === null) {
      lines.push(line)
      continue
    }
    const [, time = '', whole, text = ''] = match
    begun = begun === null ? { time, text } : { time: begun.time, text: begun.text + text }
    if (whole === 'P') continue
    lines.push(`${begun.time} ${begun.text}`)
    begun = null
  }
  if (begun !== null) lines.push(`${begun.time} ${begun.text}`)
  return lines.map((line) => `${line}\n`).join('')
}
