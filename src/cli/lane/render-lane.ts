import { redacted } from '#/cli/audit/render-audit.ts'
import type { Output } from '#/cli/output/print-output.ts'
import { printable } from '#/cli/output/printable.ts'
import { OPERATE_ADVICE } from '#/cli/reap/apply/rights.ts'
import { describeChange, isSameCap } from '#/core/lane/cap.ts'
import type { Drain } from '#/core/lane/judge-drain.ts'
import { LANE_COMMANDS } from '#/core/lane/plan-change.ts'
import type { LanePlan } from '#/core/lane/plan-change.ts'
import type { CapResult } from '#/runtime/act/set-cap.ts'
import type { LaneOutcome } from './perform-lane.ts'
import { describeOwner, describeWay } from './words.ts'

type Printed = Exclude<LaneOutcome, { kind: 'unread' }>

export function renderLane(outcome: Printed, ledger: string | null): Output {
  const lines = describe(outcome)
  return {
    data: redacted(toDocument(outcome, ledger)),
    sections: [{ text: lines.map((line) => printable(redacted(line))).join('\n') }],
  }
}

function toDocument(outcome: Printed, ledger: string | null) {
  const { set, order, plan, proofs, owners } = outcome
  const result = outcome.kind === 'acted' ? outcome.result : null
  const change =
    plan.kind === 'change'
      ? {
          minRunners: { before: plan.before.min, after: plan.after.min },
          maxRunners: { before: plan.before.max, after: plan.after.max },
        }
      : null
  return {
    command: LANE_COMMANDS[order.kind],
    set,
    applied: result?.kind === 'set',
    decision: findDecision(outcome),
    decidedBy: result?.kind === 'refused' ? result.decidedBy : plan.kind === 'refused' ? plan.decidedBy : null,
    why: explain(outcome),
    change,
    owners,
    gates: proofs,
    listener: result?.kind === 'set' ? { proved: result.proof.kind === 'proved', why: result.proof.why } : null,
    drain: outcome.kind === 'acted' ? outcome.drain : null,
    attempt: result?.kind === 'set' ? result.attempt : null,
    ledger,
  }
}

function findDecision(outcome: Printed): string {
  if (outcome.kind === 'declined') return 'declined'
  if (outcome.kind === 'acted' && outcome.result !== null) {
    return outcome.result.kind === 'set' ? 'changed' : outcome.result.kind
  }
  return outcome.plan.kind === 'change' ? 'would-change' : outcome.plan.kind
}

function explain(outcome: Printed): string | null {
  const result = outcome.kind === 'acted' ? outcome.result : null
  if (result !== null && 'why' in result) return result.why
  return 'why' in outcome.plan ? outcome.plan.why : null
}

function describe(outcome: Printed): readonly string[] {
  const { set, plan } = outcome
  const name = `${set.namespace}/${set.name}`
  if (outcome.kind === 'declined') return [`${name}: you answered no, nothing was changed.`]
  const result = outcome.kind === 'acted' ? outcome.result : null
  const refusal = result?.kind === 'refused' ? result : plan
  if (refusal.kind === 'refused') {
    return [`${name}: refused by ${refusal.decidedBy}: ${refusal.why}`, `Next: ${refusal.next}.`]
  }
  const drain = outcome.kind === 'acted' ? describeDrain(outcome.drain) : []
  if (plan.kind === 'nothing') return [`${name}: ${plan.why}.`, ...drain]
  return [`${name}: ${describePlanned(plan)}`, ...describeDone(outcome), ...drain]
}

function describePlanned(plan: LanePlan): string {
  if (plan.kind !== 'change') return plan.why
  const isBack = isSameCap(plan.before, plan.after)
  return isBack ? 'the values are back already; only our note goes' : describeChange(plan)
}

function describeDone({ kind, owners, order, set, ...outcome }: Printed): readonly string[] {
  if (kind === 'shown') return [...owners.map(describeOwner), 'This is a dry run: nothing was changed.']
  const result = 'result' in outcome ? outcome.result : null
  if (result === null) return []
  const way = result.kind === 'set' ? describeWay(order, set) : null
  return [...describeResult(result), ...(way === null ? [] : [`To ${way}`])]
}

function describeResult(result: CapResult): readonly string[] {
  switch (result.kind) {
    case 'set':
      return [
        result.proof.kind === 'proved'
          ? `The listener proves it: ${result.proof.why}.`
          : `It was changed, but the listener has not proved it: ${result.proof.why}.`,
      ]
    case 'taken': {
      const by = result.row === null ? '' : `: attempt ${result.row.id} of ${result.row.actor}`
      return [`Not changed: another run is changing this set${by}. Try again in a minute.`]
    }
    case 'fenced':
      return ['Not changed: another leader acts now.']
    case 'refused':
    case 'failed':
    case 'vanished': {
      const isRight = /\bcannot patch resource\b/u.test(result.why)
      return [`Not changed: ${result.why}.`, ...(isRight ? [`Next: ${OPERATE_ADVICE}.`] : [])]
    }
  }
}

function describeDrain(drain: Drain | null): readonly string[] {
  switch (drain?.kind) {
    case undefined:
      return []
    case 'drained':
      return [`The last job has ended: ${drain.why}.`]
    case 'blind':
      return [`Whether the last job has ended is not known: ${drain.why}.`]
    case 'working':
      return [`Jobs still run: ${drain.why}.`, ...drain.jobs.map((job) => `  ${job}`)]
  }
}
