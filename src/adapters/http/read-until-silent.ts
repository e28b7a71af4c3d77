import type { Clock } from '#/ports/clock.ts'
import { startDeadline } from './deadline.ts'

/** An open connection without data: a peer that vanished looks like this for hours. */
class SourceSilent extends Error {
  readonly code = 'SOURCE_SILENT'
}

export function isSilence(error: unknown): boolean {
  return error instanceof SourceSilent
}

export type Silence = { readonly clock: Clock; readonly silentAfterMs: number; readonly signal: AbortSignal }

/**
 * Passes the chunks on; throws with the code SOURCE_SILENT when none comes for too long, or only such as do not end the
 * silence. Time that the reader takes does not count.
 */
export async function* readUntilSilent(
  source: AsyncIterable<Uint8Array>,
  silence: Silence,
  endsSilence: (chunk: Uint8Array) => boolean = () => true,
): AsyncGenerator<Uint8Array, void> {
  const iterator = source[Symbol.asyncIterator]()
  let patience: Patience | null = null
  try {
    for (;;) {
      patience ??= startPatience(silence)
      const next = await Promise.race([iterator.next(), patience.over])
      if (next.done === true) return
      if (endsSilence(next.value)) {
        patience.end()
        patience = null
      }
      yield next.value
    }
  } finally {
    patience?.end()
  }
}

/** `over` rejects when the silence has lasted too long, and never after `end`. */
type Patience = { readonly over: Promise<never>; readonly end: () => void }

function startPatience({ clock, silentAfterMs, signal }: Silence): Patience {
  const deadline = startDeadline(clock, silentAfterMs, signal)
  const { promise: over, reject } = Promise.withResolvers<never>()
  const giveUp = (): void => reject(new SourceSilent(`silent for ${silentAfterMs} ms`))
  if (deadline.signal.aborted) giveUp()
  else deadline.signal.addEventListener('abort', giveUp, { once: true })
  return { over, end: () => deadline[Symbol.dispose]() }
}
