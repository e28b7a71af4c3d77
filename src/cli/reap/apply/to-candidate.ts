import type { RuntimeView } from '#/core/fleet/traps/view.ts'
import { ACT_GATES } from '#/core/interlock/act.ts'
import type { ActId } from '#/core/interlock/act.ts'
import type { Identity } from '#/core/interlock/candidate-snapshot.ts'
import type { Policy, Proposal } from '#/core/interlock/policy.ts'
import { readIdentity } from '#/core/interlock/read-candidate.ts'
import type { LedgerRow, LedgerSubject } from '#/core/ledger/ledger-row.ts'
import type { ActCandidate } from '#/ports/act-candidate.ts'

/** What is acted on, and on whose proposal. */
export type Order = {
  readonly candidate: ActCandidate
  readonly policy: Policy
  /** Names of the EphemeralRunnerSets that may be scaled. */
  readonly scales: readonly string[]
}

export function toOrder(proposal: Proposal, view: RuntimeView): Order {
  const { policy, act, setKey, runners, scales = [] } = proposal
  return {
    candidate: {
      act,
      origin: { policy: policy.id },
      subject: toSubject(proposal, view),
      scaleSet: setKey,
      runners: runners.map((state) => ({
        namespace: state.runner.namespace,
        name: state.runner.name,
        identity: readIdentity(state),
      })),
    },
    policy,
    scales: scales.map(({ name }) => name),
  }
}

function toSubject({ subject, setKey, runners }: Proposal, { sets }: RuntimeView): LedgerSubject {
  const { kind, name, namespace = null } = subject
  const uid = kind === 'EphemeralRunner' ? runners[0]?.runner.uid : sets.find(({ key }) => key === setKey)?.set.uid
  return { kind, namespace, name, uid: uid ?? null }
}

/**
 * What an earlier process left under way and no policy proposes now, from its row. A runner that is still the same one may be
 * finished; whatever else it was can only be closed, because the row does not name its runners.
 */
export function leftOrder(row: LedgerRow, policies: readonly Policy[], view: RuntimeView): Order | null {
  const policy = 'policy' in row ? policies.find(({ id }) => id === row.policy) : undefined
  if (policy === undefined || !isAct(row.act)) return null
  const { act, subject, scaleSet } = row
  const runners =
    subject.kind === 'EphemeralRunner'
      ? [{ namespace: subject.namespace ?? '', name: subject.name, identity: findIdentity(subject, view) }]
      : []
  return { candidate: { act, origin: { policy: policy.id }, subject, scaleSet, runners }, policy, scales: [] }
}

function isAct(act: LedgerRow['act']): act is ActId {
  return Object.hasOwn(ACT_GATES, act)
}

function findIdentity({ uid }: LedgerSubject, { runners }: RuntimeView): Identity {
  const state = uid === null ? undefined : runners.find(({ runner }) => runner.uid === uid)
  return state === undefined ? { uid, generation: null, owner: null } : readIdentity(state)
}
