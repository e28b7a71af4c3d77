import { WHOLE_FLEET } from '#/core/audit/audit.ts'
import { buildRuntimeView } from '#/core/fleet/traps/view.ts'
import type { Gate } from '#/core/interlock/gate.ts'
import { planRemovals } from '#/core/interlock/plan-removals.ts'
import type { Cap, PlannedRemoval } from '#/core/interlock/plan-removals.ts'
import { POLICIES } from '#/core/interlock/policies/index.ts'
import { POLICY_IDS, deleteRunner, proposeAll } from '#/core/interlock/policy.ts'
import type { Policy, PolicyId } from '#/core/interlock/policy.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import { GATES } from '#/gates/index.ts'

export type ReapTerms = {
  readonly policies?: readonly PolicyId[]
  /** Policies of a test, besides those. */
  readonly more?: readonly Policy[]
  readonly gates?: readonly Gate[]
  readonly cap?: Cap
  readonly minAgeMs?: number
}

/** What `reap` would do with a fleet, without the command around it. */
export function planReap(fleet: Fleet, terms: ReapTerms = {}): readonly PlannedRemoval[] {
  const { policies = POLICY_IDS, more = [], gates = GATES, cap = { run: 100, set: 100 }, minAgeMs = 600_000 } = terms
  const view = buildRuntimeView(fleet, WHOLE_FLEET)
  const proposals = proposeAll(view, [...POLICIES.filter(({ id }) => policies.includes(id)), ...more])
  return planRemovals(view, proposals, { gates, cap, minAgeMs })
}

/** `policy subject decision`, with the gate that decided. */
export function describePlan(planned: readonly PlannedRemoval[]): readonly string[] {
  return planned.map(
    ({ proposal, decision, decidedBy }) =>
      `${proposal.policy.id} ${proposal.subject.name} ${decision}${decidedBy === null ? '' : ` ${decidedBy}`}`,
  )
}

/** The worst policies that there could be: they propose every runner, with either demand on GitHub. */
export const EVERY_RUNNER: readonly Policy[] = (['gone', 'not-busy'] as const).map((github) => ({
  id: 'offline',
  removes: 'every runner',
  about: '',
  github,
  needs: [],
  propose: ({ runners }) => runners.map((state) => deleteRunner(state, [])),
}))
