import type { Clock } from '#/ports/clock.ts'
import { startDeadline } from './deadline.ts'

/** A connection that is open and says nothing: a peer that went away without a word looks like this for hours. */
class SourceSilent extends Error {
  readonly code = 'SOURCE_SILENT'
}

export function isSilence(error: unknown): boolean {
  return error instanceof SourceSilent
}

export type Silence = { readonly clock: Clock; readonly silentAfterMs: number; readonly signal: AbortSignal }

/** Passes the chunks on; throws with the code SOURCE_SILENT when none arrives for too long. Time that the reader takes does not count. */
export async function* readUntilSilent(
  source: AsyncIterable<Uint8Array>,
  silence: Silence,
): AsyncGenerator<Uint8Array, void> {
  const iterator = source[Symbol.asyncIterator]()
  for (;;) {
    const next = await nextOrSilence(iterator, silence)
    if (next.done === true) return
    yield next.value
  }
}

async function nextOrSilence(
  iterator: AsyncIterator<Uint8Array>,
  { clock, silentAfterMs, signal }: Silence,
): Promise<IteratorResult<Uint8Array>> {
  using deadline = startDeadline(clock, silentAfterMs, signal)
  const { promise: over, reject } = Promise.withResolvers<never>()
  const giveUp = (): void => reject(new SourceSilent(`silent for ${silentAfterMs} ms`))
  deadline.signal.addEventListener('abort', giveUp, { once: true })
  return await Promise.race([iterator.next(), over])
}
