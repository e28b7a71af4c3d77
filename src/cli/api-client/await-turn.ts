import type { CommandContext } from '#/cli/frame/context.ts'
import { printable } from '#/cli/output/printable.ts'

/** What a server says that has no time for a request now. */
export type Busy = { readonly why: string; readonly retryAfterMs: number }

type Means = Pick<CommandContext, 'clock' | 'signal' | 'terminal'>

/** For one question, all waits together. A server that asks for more gets no further request. */
const MOST_WAIT_MS = 60_000
/** A server that asks for none at all must not be asked in a loop. */
const LEAST_WAIT_MS = 1000

/**
 * In a mass incident the server records deaths before it answers. Then the user waits for the list, as the server asked,
 * instead of running the command again. Says so once.
 */
export function createTurns({ clock, signal, terminal }: Means) {
  let hasSaid = false
  return async <R>(ask: () => Promise<R>, readBusy: (reply: R) => Busy | null): Promise<R> => {
    for (let waitedMs = 0; ;) {
      const reply = await ask()
      const busy = readBusy(reply)
      if (busy === null) return reply
      const waitMs = Math.max(LEAST_WAIT_MS, busy.retryAfterMs)
      if (waitedMs + waitMs > MOST_WAIT_MS) return reply
      if (!hasSaid) terminal.notice(printable(`The server is busy: ${busy.why}. Retrying for up to a minute.`))
      hasSaid = true
      await clock.sleep(waitMs, signal)
      signal.throwIfAborted()
      waitedMs += waitMs
    }
  }
}
