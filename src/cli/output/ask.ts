import { createInterface } from 'node:readline/promises'

/** The answer to a question, without its line end; null if the input ended before one came. Rejects when the signal aborts. */
export type Ask = (question: string, signal: AbortSignal) => Promise<string | null>

/** Null if one of the streams is not a terminal: then nobody reads the question, or nobody can answer it. */
export function askOnTerminal(input: NodeJS.ReadStream, output: NodeJS.WriteStream): Ask | null {
  if (!input.isTTY || !output.isTTY) return null
  return async (question, signal) => {
    // Not its own terminal handling: that would take Ctrl-C away from the process.
    const lines = createInterface({ input, output, terminal: false })
    const ended = new Promise<null>((resolve) => {
      lines.once('close', () => resolve(null))
    })
    try {
      return await Promise.race([lines.question(question, { signal }), ended])
    } finally {
      lines.close()
    }
  }
}
