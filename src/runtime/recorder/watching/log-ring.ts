import type { LogTail } from '#/ports/kubernetes.ts'

/** The end of a log in memory, by lines. */
export type LogRing = {
  /** Returns by how many bytes the ring grew; negative where older lines were dropped. */
  readonly take: (line: string) => number
  readonly held: () => number
  readonly tail: () => LogTail
}

/** Compact rarely, so that each line does not move all the others. */
const DROPPED_AT_ONCE = 256

export function createLogRing(most: number): LogRing {
  let lines: string[] = []
  let first = 0
  let held = 0
  let cut = false
  return {
    take: (line) => {
      const before = held
      const own = line.length > most ? line.slice(-most) : line
      cut ||= own.length < line.length
      lines.push(own)
      held += own.length
      while (held > most && first < lines.length - 1) {
        held -= lines[first]?.length ?? 0
        first += 1
        cut = true
      }
      if (first >= DROPPED_AT_ONCE) {
        lines = lines.slice(first)
        first = 0
      }
      return held - before
    },
    held: () => held,
    tail: () => ({ text: lines.slice(first).join(''), cut }),
  }
}
