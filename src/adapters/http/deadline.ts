import type { Clock } from '#/ports/clock.ts'

/** A signal that aborts with the caller's or when the time on the injected clock is over, whichever is first. */
export type Deadline = Disposable & {
  readonly signal: AbortSignal
  readonly expired: () => boolean
}

export function startDeadline(clock: Clock, timeoutMs: number, caller: AbortSignal): Deadline {
  const over = new AbortController()
  const cancel = new AbortController()
  let expired = false
  const follow = (): void => over.abort(caller.reason)
  if (caller.aborted) follow()
  else caller.addEventListener('abort', follow, { once: true })
  void clock.sleep(timeoutMs, cancel.signal).then(() => {
    if (cancel.signal.aborted || over.signal.aborted) return
    expired = true
    over.abort()
  })
  return {
    signal: over.signal,
    expired: () => expired,
    [Symbol.dispose]: () => {
      caller.removeEventListener('abort', follow)
      cancel.abort()
    },
  }
}
