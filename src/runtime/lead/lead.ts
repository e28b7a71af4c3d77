import type { FormerTerm, Leadership, Loss, Term } from '#/ports/store/leadership.ts'
import type { LeadStatus } from './lead-status.ts'
import { startLoops } from './loop.ts'
import type { LeaderLoop, Loop, LoopMeans, RunningLoops, ServedTerm } from './loop.ts'

export type LeadOptions = LoopMeans & {
  readonly leadership: Leadership
  readonly loops: readonly LeaderLoop[]
  readonly status: LeadStatus
}

const PAUSE_AFTER_LOSS_MS = 1_000

/** What may go on after its term. */
type Lasting = { readonly running: RunningLoops; readonly handOver: (epoch: number) => void }

/** Loops that go on after the term in which the store became unreachable. */
type GoingOn = Lasting & { readonly epoch: number; readonly since: number }

/**
 * Campaigns, runs the loops while it leads, and campaigns again after a loss, until the signal. While the store is unreachable
 * nobody knows who leads, so what must not stop goes on (`goesOnWithoutStore`). When the store answers, the next term takes it
 * over as it is; it ends where somebody else leads, or has led.
 */
export async function lead(options: LeadOptions, signal: AbortSignal): Promise<void> {
  const { loops, log, clock, status } = options
  const lasting = loops.filter(({ goesOnWithoutStore }) => goesOnWithoutStore === true)
  const others = loops.filter(({ goesOnWithoutStore }) => goesOnWithoutStore !== true)
  let goingOn: GoingOn | null = null
  let ended: Promise<unknown> = Promise.resolve()
  while (!signal.aborted) {
    const term = await campaign(options, toFormer(options, goingOn), signal)
    // What is in the middle of something ends before it is begun again.
    await ended
    if (term !== null) {
      const left: Lasting = (await takeOver(options, goingOn, term)) ?? startLasting(lasting, options, term, signal)
      const own = startLoops(serve(others, { epoch: () => term.epoch }), options, signal)
      log.info('leading', { epoch: term.epoch })
      status.set({ kind: 'leading' })
      const loss = await Promise.race([term.lost, stopped(signal)])
      if (!signal.aborted) log.warn('leadership lost', { epoch: term.epoch, why: loss.why })
      goingOn = loss.kind === 'unreachable' ? goOn(options, { ...left, lasting, term }) : null
      if (goingOn === null) status.set({ kind: 'waiting' })
      ended = Promise.all([own.stop(), goingOn === null ? left.running.stop() : null])
      // The next leader must not overlap with a loop. An unreachable store gives the lock away without us.
      if (loss.kind !== 'unreachable') await ended
      await term.resign()
    }
    await clock.sleep(PAUSE_AFTER_LOSS_MS, signal)
  }
  await Promise.all([ended, goingOn?.running.stop()])
  status.set({ kind: 'waiting' })
}

function serve(loops: readonly LeaderLoop[], term: ServedTerm): readonly Loop[] {
  return loops.map(({ name, everyMs, run }) => ({ name, everyMs, run: (signal) => run(signal, term) }))
}

function startLasting(loops: readonly LeaderLoop[], options: LeadOptions, term: Term, signal: AbortSignal): Lasting {
  let { epoch } = term
  const handOver = (next: number): void => void (epoch = next)
  return { running: startLoops(serve(loops, { epoch: () => epoch }), options, signal), handOver }
}

async function campaign(options: LeadOptions, former: FormerTerm | undefined, signal: AbortSignal) {
  try {
    return await options.leadership.campaign(signal, former)
  } catch (error) {
    options.log.warn('cannot run for leader, will retry', {
      why: error instanceof Error ? error.message : String(error),
    })
    return null
  }
}

function stopped(signal: AbortSignal): Promise<Loss> {
  const loss = { kind: 'resigned', why: 'stopping' } as const
  return new Promise((resolve) => {
    if (signal.aborted) resolve(loss)
    signal.addEventListener('abort', () => resolve(loss), { once: true })
  })
}

type Left = Lasting & { readonly lasting: readonly LeaderLoop[]; readonly term: Term }

/** Null where nothing goes on. */
function goOn({ log, clock, status }: LeadOptions, { running, handOver, lasting, term }: Left): GoingOn | null {
  if (lasting.length === 0) return null
  const since = clock.now()
  log.warn('store unreachable: going on without it', { loops: lasting.map(({ name }) => name).join(',') })
  status.set({ kind: 'without-store', since })
  return { running, handOver, epoch: term.epoch, since }
}

function toFormer({ log, status }: LeadOptions, goingOn: GoingOn | null): FormerTerm | undefined {
  if (goingOn === null) return undefined
  const { running, epoch } = goingOn
  const replaced = (holder: string): void => {
    if (running.isStopping()) return
    log.warn('another server leads: stopping what went on without the store', { holder, epoch })
    status.set({ kind: 'waiting' })
    void running.stop()
  }
  return { epoch, replaced }
}

/** Null where it has to begin anew: somebody else has led meanwhile. */
async function takeOver({ log, clock }: LeadOptions, goingOn: GoingOn | null, term: Term): Promise<Lasting | null> {
  if (goingOn === null) return null
  const { running, handOver, epoch, since } = goingOn
  if (!running.isStopping() && term.epoch === epoch + 1) {
    log.info('store reachable again', { withoutItSeconds: Math.round((clock.now() - since) / 1000) })
    handOver(term.epoch)
    return goingOn
  }
  if (!running.isStopping()) log.warn('another server led meanwhile: beginning anew', { epoch: term.epoch })
  await running.stop()
  return null
}
