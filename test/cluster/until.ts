import { setTimeout as sleep } from 'node:timers/promises'

const POLL_EVERY_MS = 50

export interface Wait<T> {
  /** Completes the sentence "timed out after … waiting for …". */
  readonly what: string
  readonly timeoutMs: number
  /** The value that was waited for, or undefined to try again. A throw ends the wait at once. */
  readonly probe: () => Promise<T | undefined>
  /** What to show when the time is over: the last state, or the end of a log. */
  readonly explain?: () => Promise<string>
}

/**
 * As Promise.all, but it fails only when all have settled: then nothing is still being started while the failure is
 * cleaned up.
 */
export async function settled<T extends readonly unknown[]>(promises: {
  readonly [K in keyof T]: Promise<T[K]>
}): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(promises)
  return await Promise.all(promises)
}

export async function until<T>(wait: Wait<T>): Promise<T> {
  const deadline = performance.now() + wait.timeoutMs
  while (performance.now() < deadline) {
    const value = await wait.probe()
    if (value !== undefined) return value
    await sleep(POLL_EVERY_MS)
  }
  const explanation = (await wait.explain?.()) ?? ''
  throw new Error(`timed out after ${wait.timeoutMs} ms waiting for ${wait.what}\n${explanation}`)
}
