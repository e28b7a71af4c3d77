import { runtime } from '#/audits/runtime/audit.ts'
import { askedFleet, isLive } from '#/cli/audit/asked-fleet.ts'
import type { AskedContext } from '#/cli/audit/asked-fleet.ts'
import { BETWEEN_READS_MS } from '#/cli/audit/confirm-wedges.ts'
import { withProcesses } from '#/cli/collect/runner-processes.ts'
import { WHOLE_FLEET } from '#/core/audit/audit.ts'
import { runAudit } from '#/core/audit/run-audit.ts'
import type { SourceReport } from '#/core/audit/run-audit.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import { buildRuntimeView } from '#/core/fleet/traps/view.ts'
import type { RuntimeView } from '#/core/fleet/traps/view.ts'
import { dropChangedWedges } from '#/core/interlock/changed-wedges.ts'
import { planRemovals } from '#/core/interlock/plan-removals.ts'
import type { PlannedRemoval } from '#/core/interlock/plan-removals.ts'
import { proposeAll } from '#/core/interlock/policy.ts'
import type { Policy, Proposal } from '#/core/interlock/policy.ts'
import { refuseUnknownNames } from '#/cli/audit/question.ts'
import { GATES } from '#/gates/index.ts'
import { REAP_READS } from './reads.ts'
import type { ReapQuestion } from './question.ts'

export type ReapAnswer = {
  readonly now: number
  /** What was judged. */
  readonly view: RuntimeView
  readonly policies: readonly Policy[]
  readonly planned: readonly PlannedRemoval[]
  /** Policies that find nothing because a source that they need is blind. */
  readonly unjudged: readonly { readonly policy: Policy; readonly sources: readonly SourceReport[] }[]
  readonly sources: readonly SourceReport[]
}

export async function look(context: AskedContext, question: ReapQuestion): Promise<ReapAnswer> {
  const { fleet: first } = await askedFleet(context, [REAP_READS])
  refuseUnknownNames(first, { ...WHOLE_FLEET, scaleSets: question.sets })
  const { view: read, proposals } = await confirmWedges(context, question, first)
  const runners = proposals.flatMap((proposal) => proposal.runners)
  const view = isLive(context.flags) ? await withProcesses(context, read, runners) : read
  const { fleet } = view
  const { sources } = runAudit({ ...runtime, ...REAP_READS, examine: () => [] }, fleet, WHOLE_FLEET)
  const unseen = new Map(sources.filter(({ ok }) => !ok).map((source) => [source.name, source]))
  return {
    now: fleet.now,
    view,
    policies: question.policies,
    planned: planRemovals(view, proposals, { gates: GATES, cap: question.cap, minAgeMs: question.minAgeMs }),
    unjudged: question.policies.flatMap((policy) => {
      const missing = policy.needs.flatMap((source) => unseen.get(source) ?? [])
      return missing.length === 0 ? [] : [{ policy, sources: missing }]
    }),
    sources,
  }
}

type Proposed = { readonly view: RuntimeView; readonly proposals: readonly Proposal[] }

/** docs/contracts/findings.md: on a live fleet a wedge needs two reads a minute apart. The later read is judged. */
async function confirmWedges(context: AskedContext, question: ReapQuestion, first: Fleet): Promise<Proposed> {
  const proposed = propose(first, question)
  const isDoubtful = proposed.proposals.some(({ policy }) => policy.id === 'wedge')
  if (!isDoubtful || !isLive(context.flags)) return proposed
  context.terminal.notice('a rollover looks wedged: reading again in one minute to confirm')
  await context.clock.sleep(BETWEEN_READS_MS, context.signal)
  context.signal.throwIfAborted()
  const { fleet: later } = await askedFleet(context, [REAP_READS])
  const { view, proposals } = propose(later, question)
  return { view, proposals: dropChangedWedges(proposals, { earlier: first, later }) }
}

function propose(fleet: Fleet, { policies, sets }: ReapQuestion): Proposed {
  const view = buildRuntimeView(fleet, { scaleSets: sets, labels: [] })
  return { view, proposals: proposeAll(view, policies) }
}
