import type { Clock } from '#/ports/clock.ts'
import type { Log } from '#/ports/log.ts'
import type { Leadership } from '#/ports/store.ts'
import type { Metrics } from '#/runtime/metrics.ts'

/** What only one replica does at a time, again and again. */
export type Duty = {
  readonly name: string
  readonly everyMs: number
  readonly perform: (signal: AbortSignal) => Promise<void>
}

export type LeadOptions = {
  readonly leadership: Leadership
  readonly duties: readonly Duty[]
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
}

const PAUSE_AFTER_LOSS_MS = 1_000

/** Campaigns, performs the duties while it leads, and campaigns again after a loss, until the signal. */
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
    options.log.warn('could not campaign', { why: error instanceof Error ? error.message : String(error) })
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
  const duties = options.duties.map((duty) => repeat(options, duty, both))
  const stopped = new Promise<string>((resolve) => {
    if (signal.aborted) resolve('stopping')
    signal.addEventListener('abort', () => resolve('stopping'), { once: true })
  })
  const why = await Promise.race([term.lost, stopped])
  over.abort()
  // A duty that is in the middle of something ends before the lock is given up, or the next leader would overlap with it.
  await Promise.all(duties)
  await term.resign()
  return why
}

async function repeat({ clock, log, metrics }: LeadOptions, duty: Duty, signal: AbortSignal): Promise<void> {
  const failures = metrics.counter('signalbox_duty_failures_total', 'Runs of a loop that ended in a fault.')
  failures.add(0, { duty: duty.name })
  while (!signal.aborted) {
    try {
      await duty.perform(signal)
    } catch (error) {
      failures.add(1, { duty: duty.name })
      log.error('a loop failed; it will run again', {
        duty: duty.name,
        why: error instanceof Error ? error.message : String(error),
      })
    }
    await clock.sleep(duty.everyMs, signal)
  }
}
