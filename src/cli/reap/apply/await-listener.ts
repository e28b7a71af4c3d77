import { ARC_SOURCES } from '#/audits/runtime/sources.ts'
import { askedFleet } from '#/cli/audit/asked-fleet.ts'
import type { AskedContext } from '#/cli/audit/asked-fleet.ts'
import { formatDuration } from '#/core/basics/duration.ts'
import { buildRuntimeView } from '#/core/fleet/traps/view.ts'
import type { RuntimeView, SetView } from '#/core/fleet/traps/view.ts'

/** Whether a wedged set is free: only a new listener that is up proves it. */
export type Freed =
  | { readonly kind: 'freed'; readonly listener: string; readonly uid: string | null; readonly pod: string | null }
  | { readonly kind: 'still-wedged'; readonly why: string }

const BETWEEN_LOOKS_MS = 5000
const READS = { reads: ARC_SOURCES, mentions: [] }

export type AwaitTerms = {
  readonly setKey: string
  /** UIDs of the AutoscalingListeners and of their pods from before the act: they prove nothing. */
  readonly before: ReadonlySet<string>
  readonly waitMs: number
}

export async function awaitListener(context: AskedContext, { setKey, before, waitMs }: AwaitTerms): Promise<Freed> {
  const { clock, signal, terminal } = context
  const until = clock.now() + waitMs
  const progress = terminal.progress(`waiting for a new listener of ${setKey}`)
  try {
    for (;;) {
      const { fleet } = await askedFleet(context, [READS], new Set())
      const freed = judgeFreed(buildRuntimeView(fleet, { scaleSets: [], labels: [] }), { setKey, before })
      const left = until - clock.now()
      if (freed.kind === 'freed') return freed
      if (left <= 0) return { kind: 'still-wedged', why: `${freed.why}, after ${formatDuration(waitMs)}` }
      terminal.detail(freed.why)
      await clock.sleep(Math.min(BETWEEN_LOOKS_MS, left), signal)
      signal.throwIfAborted()
    }
  } finally {
    progress.done()
  }
}

export function judgeFreed({ sets }: RuntimeView, { setKey, before }: Omit<AwaitTerms, 'waitMs'>): Freed {
  const own = sets.find(({ key }) => key === setKey)
  if (own === undefined) return { kind: 'still-wedged', why: `the scale set ${setKey} could not be read` }
  const { condition, evidence } = own.listener
  const up = condition === 'healthy' ? findNew(own, before) : null
  if (up !== null) return up
  const [first = `its listener is ${condition}`] = evidence
  return { kind: 'still-wedged', why: `${first}${describeRest(own)}` }
}

/** Both must be new: a listener that was there before did not serve the set. */
function findNew({ listener: { listener, pod } }: SetView, before: ReadonlySet<string>): Freed | null {
  if (listener === null || pod === null || listener.uid === null || pod.uid === null) return null
  const isNew = !before.has(listener.uid) && !before.has(pod.uid)
  return isNew ? { kind: 'freed', listener: listener.name, uid: listener.uid, pod: pod.uid } : null
}

function describeRest({ states, rollover }: SetView): string {
  const live = states.filter(({ isLive }) => isLive)
  const rest = live.length === 0 ? '' : `; runners left: ${live.length} (${live[0]?.runner.name ?? ''})`
  return rollover.kind === 'wedged' ? `; it is still wedged${rest}` : rest
}

/** Of all that listen for the set now. */
export function listenerUids({ sets }: RuntimeView, setKey: string): ReadonlySet<string> {
  const own = sets.find(({ key }) => key === setKey)
  const uids = [...(own?.listeners.map(({ uid }) => uid) ?? []), own?.listener.pod?.uid ?? null]
  return new Set(uids.filter((uid) => uid !== null))
}
