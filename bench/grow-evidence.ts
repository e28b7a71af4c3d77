/** Takes a piece of the text to where it belongs. */
type Write = (piece: string) => void

const PIECE_CHARACTERS = 4_000_000

/**
 * Lines written again and again until there are so many bytes. The last time is number 0, so that what was recorded stays
 * as it was and stands at the end.
 */
export function repeatLines(
  lines: readonly string[],
  bytes: number,
  change: (line: string, number: number) => string,
  write: Write,
): void {
  const repeats = repeatsFor(lines, bytes)
  let piece = ''
  for (let number = repeats - 1; number >= 0; number -= 1) {
    for (const line of lines) piece += `${change(line, number)}\n`
    if (piece.length < PIECE_CHARACTERS && number > 0) continue
    write(piece)
    piece = ''
  }
}

function repeatsFor(lines: readonly string[], bytes: number): number {
  return Math.ceil(bytes / lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0))
}

/** Before the death the same hour again and again, about other pods, on one boot. Answers when the journal now begins. */
export function growJournal(recorded: string, bytes: number, pod: string, write: Write): number {
  const lines = recorded.trimEnd().split('\n')
  const times = lines.map((line) => Number(/"__REALTIME_TIMESTAMP":"(\d+)"/.exec(line)?.[1]))
  const begins = Math.min(...times)
  const period = Math.max(...times) - begins
  const last = repeatsFor(lines, bytes) - 1
  const change = (line: string, number: number): string => {
    const timed = line.replaceAll(/"(_[A-Z_]+_TIMESTAMP)":"(\d+)"/g, (_, name: string, us: string) => {
      const shift = name.includes('MONOTONIC') ? last - number : -number
      return `"${name}":"${Number(us) + shift * period}"`
    })
    return ofAnotherPod(timed, number, pod)
  }
  repeatLines(lines, bytes, change, write)
  return Math.floor((begins - last * period) / 1000)
}

const REPEAT_MS = 600_000

/** The same pod's log from earlier on, cut to its tail as a collector cuts it. */
export function growLog(recorded: string, bytes: number): string {
  const pieces: string[] = []
  const change = (line: string, number: number): string =>
    line.replace(/^\d{4}-\d\d-\d\dT[\d:.]+Z/, (time) => earlier(time, number * REPEAT_MS))
  // Times are printed shorter than they were recorded.
  repeatLines(recorded.trimEnd().split('\n'), bytes * 1.2, change, (piece) => pieces.push(piece))
  return Buffer.from(pieces.join('')).subarray(-bytes).toString('utf8')
}

type Event = { readonly metadata: object }

/** The recorded events stay; before them the same happened to other pods. */
export function growEvents(recorded: string, count: number, pod: string): string {
  const list = JSON.parse(recorded) as { readonly items: readonly Event[] }
  const grown: Event[] = [...list.items]
  for (let number = 1; grown.length < count; number += 1) {
    for (const item of list.items) grown.push(eventOfAnother(item, number, pod))
  }
  return JSON.stringify({ ...list, items: grown.slice(0, count) }, null, 4)
}

function eventOfAnother(item: Event, number: number, pod: string): Event {
  const timed = JSON.stringify(item).replaceAll(
    /"(\d{4}-\d\d-\d\dT[\d:.]+Z)"/g,
    (_, time: string) => `"${earlier(time, number * REPEAT_MS)}"`,
  )
  const other = JSON.parse(ofAnotherPod(timed, number, pod)) as { readonly metadata: { readonly name: string } }
  return { ...other, metadata: { ...other.metadata, name: `${other.metadata.name}-${number}` } }
}

function earlier(time: string, ms: number): string {
  return new Date(Date.parse(time) - ms).toISOString()
}

/** Other UIDs, other container ids, another suffix of the pod's name; as it is for number 0. */
export function ofAnotherPod(text: string, number: number, pod: string): string {
  if (number === 0) return text
  const mark = number.toString(16).padStart(4, '0')
  return text
    .replaceAll(/\b[0-9a-f]{4}(?=[0-9a-f]{4}[-_][0-9a-f]{4}[-_]|[0-9a-f]{60}\b)/g, mark)
    .replaceAll(pod, `${pod.slice(0, -5)}x${mark}`)
}
