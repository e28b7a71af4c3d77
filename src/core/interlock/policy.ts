import type { FindingSubject } from '#/core/audit/finding.ts'
import type { RunnerState } from '#/core/fleet/runner-state.ts'
import type { RuntimeView } from '#/core/fleet/traps/view.ts'
import type { ActId } from './act.ts'
import type { GateTerms } from './candidate-snapshot.ts'

/** In the order of docs/contracts/findings.md. */
export const POLICY_IDS = [
  'offline',
  'zombie',
  'never-registered',
  'failed',
  'hung',
  'handoff',
  'excess',
  'stale-generation',
  'wedge',
] as const
export type PolicyId = (typeof POLICY_IDS)[number]

/** What to remove. It proposes by what a runner looks like; whether it may be removed is decided by the gates alone. */
export type Policy = {
  readonly id: PolicyId
  readonly removes: string
  /** For the docs page: how it chooses. */
  readonly about: string
  /** What GitHub must say about a runner before it goes. */
  readonly github: GateTerms['github']
  /** Without one of these it finds nothing, and that proves nothing. */
  readonly needs: readonly string[]
  readonly propose: (view: RuntimeView) => readonly ProposedAct[]
}

/** One act on one subject. */
export type ProposedAct = {
  readonly act: ActId
  readonly subject: FindingSubject
  /** `setKey` of the scale set: its share of the cap. */
  readonly setKey: string
  /** The runners that go. */
  readonly runners: readonly RunnerState[]
  /** What was observed, one fact each. */
  readonly because: readonly string[]
  /** The EphemeralRunnerSets that are scaled to 0; else the runners are deleted. */
  readonly scales?: readonly FindingSubject[]
}

export type Proposal = ProposedAct & { readonly policy: Policy }

export function runnerSubject({ runner }: RunnerState): FindingSubject {
  return { kind: 'EphemeralRunner', namespace: runner.namespace, name: runner.name }
}

export function deleteRunner(state: RunnerState, because: readonly string[]): ProposedAct {
  const { setKey } = state
  return { act: 'delete-ephemeral-runner', subject: runnerSubject(state), setKey, runners: [state], because }
}

export function proposeAll(view: RuntimeView, policies: readonly Policy[]): readonly Proposal[] {
  return policies.flatMap((policy) => policy.propose(view).map((act): Proposal => Object.assign({ policy }, act)))
}
