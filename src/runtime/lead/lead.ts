import type { Leadership } from '#/ports/store/leadership.ts'
import { repeat } from './loop.ts'
import type { Loop, LoopMeans } from './loop.ts'

export type LeadOptions = LoopMeans & {
  readonly leadership: Leadership
  /** Run by one replica at a time. */
  readonly loops: readonly Loop[]
}

const PAUSE_AFTER_LOSS_MS = 1_000

/** Campaigns, runs the loops while it leads, and campaigns again after a loss, until the signal. */
export async function lead(options: LeadOptions, signal: AbortSignal): Promise<void> {
  const leading = options.metrics.gauge('signalbox_leader', 'Whether this replica performs the loops.')
  leading.set(0)
  while (!signal.aborted) {
    const term = await campaign(options, signal)
    if (term !== null) {
      options.log.info('leading', { epoch: term.epoch })
      leading.set(1)
      const why = await serveTerm(options, term, signal)
      leading.set(0)
      if (!signal.aborted) options.log.warn('leadership lost', { epoch: term.epoch, why })
    }
    await options.clock.sleep(PAUSE_AFTER_LOSS_MS, signal)
  }
}

async function campaign(options: LeadOptions, signal: AbortSignal) {
  try {
    return await options.leadership.campaign(signal)
  } catch (error) {
    options.log.warn('cannot run for leader, will retry', {
      why: error instanceof Error ? error.message : String(error),
    })
    return null
  }
}

async function serveTerm(
  options: LeadOptions,
  term: { readonly lost: Promise<string>; readonly resign: () => Promise<void> },
  signal: AbortSignal,
): Promise<string> {
  const over = new AbortController()
  const both = AbortSignal.any([signal, over.signal])
  const loops = options.loops.map((loop) => repeat(loop, options, both))
  const stopped = new Promise<string>((resolve) => {
    if (signal.aborted) resolve('stopping')
    signal.addEventListener('abort', () => resolve('stopping'), { once: true })
  })
  const why = await Promise.race([term.lost, stopped])
  over.abort()
  // A loop that is in the middle of something ends before the lock is given up, or the next leader would overlap with it.
  await Promise.all(loops)
  await term.resign()
  return why
}
