import { blind } from '#/core/basics/observed.ts'
import type { Blind } from '#/core/basics/observed.ts'
import type { FindingSubject } from '#/core/audit/finding.ts'
import { findSource } from '#/core/fleet/find-source.ts'
import { describeGitHubStatus } from '#/core/fleet/github-status.ts'
import type { RuntimeView } from '#/core/fleet/traps/view.ts'
import type { ActId } from './act.ts'
import type { Policy } from './policy.ts'

/** Whether a policy still proposes what it proposed. */
export type Premise = { readonly kind: 'stands' } | { readonly kind: 'changed'; readonly why: string } | Blind

export type Proposed = {
  readonly act: ActId
  readonly subject: Pick<FindingSubject, 'kind' | 'name'> & { readonly namespace?: string | null }
}

/**
 * The gates say that a candidate may go; only its policy says that it should. A runner that is needed again passes every gate
 * of an idle one: so the policy looks at the fresh view too.
 */
export function judgePremise(view: RuntimeView, policy: Policy, { act, subject }: Proposed): Premise {
  const isSame = (one: Proposed): boolean =>
    one.act === act &&
    one.subject.kind === subject.kind &&
    one.subject.name === subject.name &&
    (one.subject.namespace ?? null) === (subject.namespace ?? null)
  if (policy.propose(view).some(isSame)) return { kind: 'stands' }
  const state = view.runners.find(
    ({ runner }) =>
      subject.kind === 'EphemeralRunner' && runner.name === subject.name && runner.namespace === subject.namespace,
  )
  for (const source of policy.needs) {
    const read = source === 'logs' && state?.log.isRead === true ? null : findSource(view.fleet.snapshot, source)
    if (read?.kind !== 'blind') continue
    return blind(read.reason.code, `${source}, without which ${policy.id} proposes nothing: ${read.reason.detail}`)
  }
  if (policy.needs.includes('logs') && state !== undefined && !state.log.isRead) {
    return blind('not-asked', `its log was not read, without which ${policy.id} proposes nothing`)
  }
  const now = state === undefined ? '' : `; now ${describeGitHubStatus(state.github)}`
  return { kind: 'changed', why: `the policy ${policy.id} (${policy.removes}) no longer proposes it${now}` }
}
