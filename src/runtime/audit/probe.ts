import type { ProbePlan } from '#/audits/probe/probe-plan.ts'
import { probePlans } from '#/audits/probe/probe-plan.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import type { ProbeAnswer } from '#/core/fleet/probe-answer.ts'
import type { Snapshot } from '#/core/fleet/snapshot.ts'
import { blind, none, seen } from '#/core/basics/observed.ts'
import type { Kubernetes } from '#/ports/kubernetes.ts'
import { inParallel } from '#/runtime/collect/request/in-parallel.ts'
import { runProbe } from './run-probe.ts'
import type { ProbeOptions } from './run-probe.ts'

/** A probe is small, but each needs a pod to be scheduled: limit how many run at once. */
const AT_ONCE = 4

/**
 * Checks from short-lived pods, built like the fleet's runners, what they can reach and read. Every pod is deleted when this
 * returns, also after an interruption: the caller must wait for it.
 */
export async function probeFleet(
  kubernetes: Kubernetes,
  fleet: Fleet,
  means: ProbeOptions,
): Promise<NonNullable<Snapshot['probes']>> {
  const plans = probePlans(fleet)
  if (plans.length === 0) return none()
  const found = new Map<ProbePlan, ProbeAnswer>()
  const bugs: unknown[] = []
  // If one throws, the others must still delete their pods.
  const ask = async (plan: ProbePlan): Promise<void> =>
    await runProbe(kubernetes, plan, means).then(
      (answer) => void found.set(plan, answer),
      (bug: unknown) => void bugs.push(bug),
    )
  for await (const _ of inParallel(plans, AT_ONCE, ask)) {
    means.progress(`probing (${found.size} of ${plans.length})`)
  }
  if (bugs.length > 0) throw bugs[0]
  if (means.signal.aborted) return blind('stopped', 'the probes were interrupted')
  const answers = plans.flatMap((plan) => found.get(plan) ?? [])
  const [first] = answers
  const isAllTrouble = answers.every(({ trouble }) => trouble !== null)
  return isAllTrouble ? blind('unreachable', `no probe answered: ${first?.trouble ?? 'unknown'}`) : seen(answers)
}
