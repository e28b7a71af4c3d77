import { describeReason } from '#/core/basics/observed.ts'
import { concludeRemovals } from '#/core/interlock/conclude-removals.ts'
import type { Removal } from '#/core/interlock/conclude-removals.ts'
import { findPresence } from '#/core/interlock/judge-act.ts'
import type { Ending } from '#/core/ledger/attempt.ts'
import type { ActCandidate, CandidateNow } from '#/ports/act-candidate.ts'
import type { ActTarget, RemovalOutcome } from '#/ports/kubernetes-acts.ts'
import type { ActMeans } from './means.ts'

/** All at once: ARC refills a part of a wedged set within seconds. */
export async function removeTargets(candidate: ActCandidate, now: CandidateNow, means: ActMeans): Promise<Ending> {
  const targets = findTargets(candidate, now)
  if (typeof targets === 'string') return { outcome: 'failed', decidedBy: null, why: targets }
  const { kubernetes, signal } = means
  const isScaled = candidate.act === 'scale-ephemeral-runner-set'
  const outcomes = await Promise.all(
    targets.map((target) => (isScaled ? kubernetes.scaleToZero(target, signal) : kubernetes.remove(target, signal))),
  )
  const removals = []
  for (const [index, target] of targets.entries()) {
    const outcome = outcomes[index]
    if (outcome === undefined) continue
    removals.push({ name: target.name, removal: await toRemoval(outcome, target, { candidate, means }) })
  }
  return concludeRemovals(removals)
}

/** In words why there is none. */
function findTargets({ act }: ActCandidate, { runners, scales }: CandidateNow): readonly ActTarget[] | string {
  if (act === 'scale-ephemeral-runner-set') {
    if ('kind' in scales) return `its EphemeralRunnerSets could not be read: ${describeReason(scales.reason)}`
    return scales.length === 0 ? 'there is no EphemeralRunnerSet to scale' : scales
  }
  const targets = runners.flatMap(({ target }) => target ?? [])
  return targets.length === runners.length ? targets : 'the version of an object is not known'
}

type Again = { readonly candidate: ActCandidate; readonly means: ActMeans }

async function toRemoval(outcome: RemovalOutcome, target: ActTarget, again: Again): Promise<Removal> {
  switch (outcome.kind) {
    case 'done':
      return { kind: 'removed' }
    case 'gone':
      return { kind: 'vanished' }
    case 'declined':
      return { kind: 'failed', why: outcome.message }
    case 'changed':
      return (await isGone(target, again))
        ? { kind: 'vanished' }
        : {
            kind: 'changed',
            decidedBy: 'identity',
            why: `it changed between the proof and the removal: ${outcome.message}`,
          }
    case 'blind': {
      const why = describeReason(outcome.reason)
      if (outcome.applied === 'no') return { kind: 'failed', why }
      return (await isLeaving(target, again))
        ? { kind: 'removed' }
        : { kind: 'failed', why: `${why}; it may have happened` }
    }
  }
}

async function isGone(target: ActTarget, again: Again): Promise<boolean> {
  return (await presenceOf(target, again)) === 'gone'
}

async function isLeaving(target: ActTarget, again: Again): Promise<boolean> {
  const presence = await presenceOf(target, again)
  return presence === 'gone' || presence === 'leaving'
}

async function presenceOf({ kind, namespace, name }: ActTarget, { candidate, means }: Again) {
  // A set that was scaled stays, so its presence says nothing.
  if (kind === 'EphemeralRunnerSet') return 'unknown'
  const { runners } = await means.observe(candidate, means.signal)
  const own = runners.find(({ snapshot: { subject } }) => subject.name === name && subject.namespace === namespace)
  return own === undefined ? 'unknown' : findPresence(own.snapshot)
}
