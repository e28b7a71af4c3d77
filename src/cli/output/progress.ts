import type { Sink } from '#/cli/output/sink.ts'

export type Progress = {
  readonly say: (label: string) => void
  /** Removes the line. */
  readonly done: () => void
}

export const silentProgress: Progress = { say: () => {}, done: () => {} }

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'] as const
const FRAME_MS = 80
export const CLEAR_LINE = '\r\u001B[2K'

/** A spinner on stderr. It never keeps the process alive. */
export function startProgress(sink: Sink, firstLabel: string): Progress {
  let label = firstLabel
  let frame = 0
  const draw = (): void => {
    const room = (sink.columns ?? 80) - 3
    sink.write(`${CLEAR_LINE}${FRAMES[frame % FRAMES.length]} ${label.slice(0, Math.max(0, room))}`)
    frame++
  }
  draw()
  const timer = setInterval(draw, FRAME_MS)
  timer.unref()
  return {
    say: (next) => {
      label = next
      draw()
    },
    done: () => {
      clearInterval(timer)
      sink.write(CLEAR_LINE)
    },
  }
}
