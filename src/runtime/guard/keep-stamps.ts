import { decideStamp } from '#/core/guard/decide-stamp.ts'
import type { StampDecision } from '#/core/guard/decide-stamp.ts'
import { describeReason, none } from '#/core/basics/observed.ts'
import { isStamped } from '#/core/guard/stamp.ts'
import type { StampedKind } from '#/core/guard/stamp.ts'
import type { Clock } from '#/ports/clock.ts'
import type { Kubernetes, WriteOutcome } from '#/ports/kubernetes.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'
import type { ServedTerm } from '#/runtime/lead/loop.ts'
import type { Log } from '#/ports/log.ts'
import type { GlassWatch } from './break-glass.ts'
import type { BusyLists } from './busy-lists.ts'
import type { GuardMetrics } from './guard-metrics.ts'
import { createSignTimes, judgePod } from './judge-pod.ts'
import type { JudgedPod, SignTimes } from './judge-pod.ts'
import type { RunnerView } from './runner-view.ts'
import { writeStamp } from './write-stamp.ts'

export type StampMeans = {
  readonly kubernetes: Pick<Kubernetes, 'patch'>
  readonly view: RunnerView
  readonly busy: BusyLists
  readonly glass: Pick<GlassWatch, 'record'>
  readonly term: ServedTerm
  readonly metrics: GuardMetrics
  readonly clock: Clock
  readonly log: Log
}

/** A change is looked at when it is heard; this often everything is, for what only time or GitHub shows, and what failed. */
const FULL_PASS_MS = 15_000
const LISTS_MS = 60_000
/** A large fleet leaves room for others between these many. */
const AT_ONCE = 100

/** Keeps the stamp on every runner that works, and on no other, until the signal. */
export async function keepStamps(means: StampMeans, signal: AbortSignal): Promise<void> {
  await Promise.all([keepLists(means, signal), keepAll(means, signal)])
}

async function keepLists({ busy, view, clock }: StampMeans, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await busy.refresh(view.records(), signal)
    await clock.sleep(LISTS_MS, signal)
  }
}

async function keepAll(means: StampMeans, signal: AbortSignal): Promise<void> {
  const { clock, view } = means
  const keeper = { ...means, signs: createSignTimes(), complain: complainOnce(means.log) }
  let lastPass = -Infinity
  while (!signal.aborted) {
    const woken = new AbortController()
    view.onChange(() => woken.abort())
    const isFull = clock.now() - lastPass >= FULL_PASS_MS
    if (isFull) lastPass = clock.now()
    const changed = view.takeChanged()
    await pass(keeper, isFull ? null : changed, signal)
    await clock.sleep(FULL_PASS_MS, AbortSignal.any([signal, woken.signal]))
  }
}

type Keeper = StampMeans & { readonly signs: SignTimes; readonly complain: (what: string, why: string | null) => void }

/** `changed` null: all. */
async function pass(keeper: Keeper, changed: readonly string[] | null, signal: AbortSignal): Promise<void> {
  const { view, signs, clock } = keeper
  const pods = changed === null ? [...view.pods()] : changed.flatMap((uid) => view.pod(uid) ?? [])
  let unknown = 0
  for (let start = 0; start < pods.length && !signal.aborted; start += AT_ONCE) {
    const judging = { view, signs, lists: keeper.busy.latest(), now: clock.now() }
    const judged = pods.slice(start, start + AT_ONCE).map((pod) => ({ pod, judged: judgePod(pod, judging) }))
    unknown += judged.filter(({ judged: { pod } }) => pod.kind === 'leave').length
    await Promise.all(judged.map((one) => carryOut(keeper, one, signal)))
    await clock.sleep(0, signal)
  }
  if (changed === null) {
    signs.forgetAllBut(new Set(pods.map(({ metadata }) => metadata.uid)))
    const stamped = pods.filter(isStamped).length
    keeper.metrics.held({ stamped, unknown })
    await clearLeftRecords(keeper, signal)
  }
  await recordGlass(keeper, signal)
}

type ToDo = { readonly pod: KubeObject; readonly judged: JudgedPod }

/** The pod first: it is what a drain waits for. */
async function carryOut(keeper: Keeper, { pod, judged }: ToDo, signal: AbortSignal): Promise<void> {
  await change(keeper, { object: pod, kind: 'Pod', decision: judged.pod }, signal)
  if (judged.record === null) return
  const { object, decision } = judged.record
  await change(keeper, { object, kind: 'EphemeralRunner', decision }, signal)
}

/** Records whose pod is gone. */
async function clearLeftRecords(keeper: Keeper, signal: AbortSignal): Promise<void> {
  const { view } = keeper
  for (const object of view.records()) {
    const { uid, namespace = '' } = object.metadata
    if (!isStamped(object) || view.podOfRecord(uid) !== null || !view.isWatching('pods', namespace)) continue
    const nothing = { breakGlass: null, recordedJob: none(), github: none() }
    const decision = decideStamp({ ...nothing, isStamped: true, life: 'absent' })
    await change(keeper, { object, kind: 'EphemeralRunner', decision }, signal)
  }
}

type Change = { readonly object: KubeObject; readonly kind: StampedKind; readonly decision: StampDecision }

async function change(keeper: Keeper, { object, kind, decision }: Change, signal: AbortSignal): Promise<void> {
  if (decision.kind !== 'set' && decision.kind !== 'clear') return
  const because = decision.kind === 'set' ? decision.why : null
  const outcome = await writeStamp(keeper.kubernetes, { object, kind, because }, signal)
  if (signal.aborted) return
  keeper.metrics.changed(decision.kind, outcome.kind)
  keeper.complain(kind === 'Pod' ? 'pods' : 'ephemeralrunners', findFault(outcome))
  if (outcome.kind !== 'done') return
  const { name, namespace = '' } = object.metadata
  keeper.log.debug(`stamp ${decision.kind}`, { kind, namespace, name, why: decision.why })
}

/** Null also where somebody was faster: the next event of the watch brings it back. */
function findFault(outcome: WriteOutcome): string | null {
  if (outcome.kind === 'blind') return describeReason(outcome.reason)
  return outcome.kind === 'forbidden' || outcome.kind === 'refused' ? outcome.message : null
}

/** Each new fault once: a missing right would fill the log. */
function complainOnce(log: Pick<Log, 'error'>): Keeper['complain'] {
  const last = new Map<string, string>()
  return (what, why) => {
    const kind = why?.includes('forbidden') === true ? 'forbidden' : why
    if (kind === null || kind === last.get(what)) return
    last.set(what, kind)
    log.error(`cannot stamp ${what}: working runners are not guarded`, {
      why,
      fix: 'grant patch on them: guard.enabled of the chart, or deploy/guard/role.yaml',
    })
  }
}

async function recordGlass({ glass, term, log }: Keeper, signal: AbortSignal): Promise<void> {
  try {
    await glass.record(signal, term)
  } catch (error) {
    log.warn('cannot write a broken glass into the ledger, will retry', {
      why: error instanceof Error ? error.message : String(error),
    })
  }
}
