import { describeReason } from '#/core/basics/observed.ts'
import type { Observed } from '#/core/basics/observed.ts'
import type { SetName } from '#/core/fleet/set-parts.ts'
import { describeChange, isSameCap, readCap } from '#/core/lane/cap.ts'
import type { Cap, CapChange } from '#/core/lane/cap.ts'
import { NOTE_KEYS, printNote } from '#/core/lane/cap-note.ts'
import { compareShown, concludeLeft, decideChange } from '#/core/lane/decide-change.ts'
import { LANE_COMMANDS } from '#/core/lane/plan-change.ts'
import type { LaneOrder, LanePlan } from '#/core/lane/plan-change.ts'
import { proveListener } from '#/core/lane/prove-listener.ts'
import type { ListenerProof, ListenerSight } from '#/core/lane/prove-listener.ts'
import type { Attempt } from '#/core/ledger/attempt.ts'
import type { GateProof, LedgerRow } from '#/core/ledger/ledger-row.ts'
import type { LaneActs } from '#/ports/kubernetes-acts.ts'
import type { Ledger } from '#/ports/store/ledger.ts'
import type { LaneNow } from '#/runtime/lane/read-lane.ts'
import { attemptChange, MOST_TRIES, uninterrupted } from './change-log.ts'
import type { ChangeLog, ChangeMeans, NotOurs } from './change-log.ts'
import type { ActWarrant } from './means.ts'

export type CapOrder = {
  readonly set: SetName
  /** Of the set that was shown. */
  readonly uid: string
  readonly order: LaneOrder
  /** What a person, or a script, agreed to. */
  readonly shown: CapChange
  /** How long the listener may take to prove it. */
  readonly proveMs: number
}

export type CapMeans = ChangeMeans & {
  readonly kubernetes: Pick<LaneActs, 'setCap'>
  readonly read: () => Promise<Observed<LaneNow>>
  readonly sight: () => Promise<ListenerSight>
  /** For the person who waits. */
  readonly say: (text: string) => void
}

export type CapResult =
  | NotOurs
  | Extract<LanePlan, { kind: 'refused' }>
  | { readonly kind: 'failed' | 'vanished'; readonly why: string }
  | { readonly kind: 'set'; readonly proof: ListenerProof; readonly attempt: number }

const MOST_ROWS = 200

/** Every attempt to change the bounds of this set, the latest first. */
export async function listCapRows(
  ledger: Ledger,
  { namespace, name }: SetName,
  uid: string,
): Promise<readonly LedgerRow[]> {
  const rows = await ledger.list({ act: 'set-cap', name, limit: MOST_ROWS })
  return rows.filter(({ subject }) => subject.namespace === namespace && subject.uid === uid)
}

/**
 * Changes the bounds of a scale set: reads it afresh, checks what must hold, writes the attempt to the ledger, patches exactly
 * the version that was judged, with the old value in the same patch, and waits until the listener proves the effect.
 */
export async function setCap(order: CapOrder, means: CapMeans, warrant: ActWarrant): Promise<CapResult> {
  const now = await means.read()
  if (now.kind !== 'seen') return unreadable(now)
  const rows = await listCapRows(means.ledger, order.set, order.uid)
  const { plan, proofs } = judge(order, now.value, rows)
  const attempt = toAttempt(order, proofs, warrant, means.clock.now())
  if (plan.kind !== 'change') {
    const refused = plan.kind === 'refused' ? plan : null
    if (refused === null) return { kind: 'failed', why: 'there is nothing to change any more' }
    await means.ledger.record({ ...attempt, outcome: 'refused', decidedBy: refused.decidedBy, why: refused.why })
    return refused
  }
  return await attemptChange(
    {
      attempt,
      conclude: async (left) => concludeLeft(left, await capNow(means, order.shown.before)),
      work: (log) => carryOut(order, log, means, warrant),
    },
    means,
    warrant,
  )
}

async function carryOut(order: CapOrder, log: ChangeLog, means: CapMeans, warrant: ActWarrant): Promise<CapResult> {
  const sight = await means.sight()
  const oldPod = sight.pod.kind === 'seen' ? sight.pod.value.uid : null
  await log.advance('patching')
  const patched = await patchSettled(order, means, warrant)
  if (patched.kind === 'refused') {
    await log.end({ outcome: 'refused', decidedBy: patched.decidedBy, why: patched.why })
    return patched
  }
  if (patched.kind !== 'patched') {
    await log.end({ outcome: patched.kind, decidedBy: null, why: patched.why })
    return patched
  }
  await log.advance('proving')
  const proof = await proveWithin(order, oldPod, means)
  const words = proof.kind === 'proved' ? proof.why : `the listener has not proved it: ${proof.why}`
  await log.end({ outcome: 'done', decidedBy: null, why: `${describeChange(order.shown)}; ${words}` })
  return { kind: 'set', proof, attempt: log.row.id }
}

type Patched = { readonly kind: 'patched' } | Exclude<CapResult, NotOurs | { kind: 'set' }>

/** ARC writes to the set all the time, so a version that is not the last one is judged anew. */
async function patchSettled(order: CapOrder, means: CapMeans, warrant: ActWarrant): Promise<Patched> {
  const rows = await listCapRows(means.ledger, order.set, order.uid)
  let last = ''
  for (let left = MOST_TRIES; left > 0; left -= 1) {
    const now = await means.read()
    if (now.kind !== 'seen') return unreadable(now)
    const { plan } = judge(order, now.value, rows)
    if (plan.kind === 'refused') return plan
    if (plan.kind === 'nothing') return { kind: 'failed', why: plan.why }
    if (means.signal.aborted) return { kind: 'failed', why: 'interrupted before the change' }
    const { uid, resourceVersion } = now.value.object.metadata
    const outcome = await means.kubernetes.setCap(
      { ...order.set, uid, resourceVersion },
      { cap: plan.after, annotation: toAnnotation(plan, means, warrant) },
      uninterrupted(),
    )
    switch (outcome.kind) {
      case 'done':
        return { kind: 'patched' }
      case 'gone':
        return { kind: 'vanished', why: 'the set is gone' }
      case 'declined':
        return { kind: 'failed', why: outcome.message }
      case 'blind':
        return await afterSilence(order, outcome, means)
      case 'changed':
        last = outcome.message
    }
  }
  return { kind: 'failed', why: `somebody writes to it all the time: ${last}` }
}

function toAnnotation(
  { noteKind, note }: Extract<LanePlan, { kind: 'change' }>,
  { clock }: CapMeans,
  { run, actor }: ActWarrant,
): { readonly key: string; readonly value: string | null } {
  const at = new Date(clock.now()).toISOString()
  return { key: NOTE_KEYS[noteKind], value: note === null ? null : printNote({ ...note, run, by: actor, at }) }
}

type Silence = { readonly reason: Parameters<typeof describeReason>[0]; readonly applied: 'no' | 'unknown' }

async function afterSilence({ shown }: CapOrder, { reason, applied }: Silence, means: CapMeans): Promise<Patched> {
  const why = describeReason(reason)
  if (applied === 'no') return { kind: 'failed', why }
  const now = await means.read()
  const isThere = now.kind === 'seen' && isSameCap(readCap(now.value.object), shown.after)
  return isThere ? { kind: 'patched' } : { kind: 'failed', why: `${why}; it may have happened` }
}

const LOOK_EVERY_MS = 1_000

async function proveWithin(order: CapOrder, oldPod: string | null, means: CapMeans): Promise<ListenerProof> {
  const { clock, signal, say } = means
  const until = clock.now() + order.proveMs
  for (;;) {
    const proof = proveListener(order.shown.after, await means.sight(), oldPod)
    if (proof.kind === 'proved' || signal.aborted || clock.now() >= until) return proof
    say(`waiting for the listener: ${proof.why}`)
    await clock.sleep(LOOK_EVERY_MS, signal)
  }
}

function judge(
  { order, shown, uid }: CapOrder,
  { object, facts }: LaneNow,
  rows: readonly LedgerRow[],
): { readonly plan: LanePlan; readonly proofs: readonly GateProof[] } {
  const { plan, proofs } = decideChange(order, facts, rows)
  if (object.metadata.uid === uid) return { plan: compareShown(plan, shown), proofs }
  const why = 'it is another set of the same name'
  const refused = {
    kind: 'refused',
    decidedBy: 'identity',
    isBlind: false,
    why,
    next: 'run the command again',
  } as const
  return { plan: refused, proofs: [{ gate: 'identity', holds: false, why, ageSeconds: 0 }] }
}

function toAttempt(
  { set, uid, order }: CapOrder,
  gates: readonly GateProof[],
  { actor, epoch, run }: ActWarrant,
  at: number,
): Attempt {
  return {
    command: LANE_COMMANDS[order.kind],
    at,
    act: 'set-cap',
    subject: { kind: 'AutoscalingRunnerSet', ...set, uid },
    actor,
    gates,
    evidence: null,
    epoch,
    run,
    scaleSet: `${set.namespace}/${set.name}`,
    places: 0,
  }
}

async function capNow({ read }: CapMeans, otherwise: Cap): Promise<Cap> {
  const now = await read()
  return now.kind === 'seen' ? readCap(now.value.object) : otherwise
}

function unreadable(
  now: Exclude<Observed<LaneNow>, { kind: 'seen' }>,
): Extract<CapResult, { kind: 'failed' | 'vanished' }> {
  return now.kind === 'none'
    ? { kind: 'vanished', why: 'the set is gone' }
    : { kind: 'failed', why: `the set could not be read: ${describeReason(now.reason)}` }
}
