import { readAt } from '#/core/interlock/reading.ts'
import { seen } from '#/core/basics/observed.ts'
import { findPresence, judgeAct } from '#/core/interlock/judge-act.ts'
import type { ActJudgement } from '#/core/interlock/judge-act.ts'
import type { CandidateSnapshot } from '#/core/interlock/candidate-snapshot.ts'
import type { GateId } from '#/core/interlock/gate.ts'
import type { GateProof, LedgerRow } from '#/core/ledger/ledger-row.ts'
import type { ActCandidate, CandidateNow, RunnerNow } from '#/ports/act-candidate.ts'
import type { AttemptLog } from './attempt-log.ts'
import { deregister } from './deregister.ts'
import type { Deregistrations } from './deregister.ts'
import type { ActMeans, ActResult } from './means.ts'
import { removeTargets } from './remove-targets.ts'

type Proved = Pick<CandidateSnapshot, 'evidence' | 'deregistration'>
const NOTHING_OPEN: ReadonlySet<GateId> = new Set()
const DEREGISTRATION_OPEN: ReadonlySet<GateId> = new Set(['github-deregistered'])

/**
 * From a planned row to its end. The order is the safety: evidence, GitHub's own refusal of a busy runner, every gate once
 * more on a fresh read, and then the removal of exactly the version that was proved.
 */
export async function carryOut(candidate: ActCandidate, log: AttemptLog, means: ActMeans): Promise<ActResult> {
  const wasRemoving = log.row.steps.some(({ step }) => step === 'removing')
  if (candidate.runners.length === 0) return await log.end(wasRemoving ? UNKNOWN_END : EARLY_END)
  if (!wasRemoving) return await takeSteps(candidate, log, { ...means, gone: 0 })
  const left = withoutRemoved(candidate, await means.observe(candidate, means.signal))
  const gone = candidate.runners.length - left.runners.length
  if (left.runners.length > 0) return await takeSteps(left, log, { ...means, gone })
  return await log.end({ outcome: 'done', decidedBy: null, why: 'it is gone, and this attempt had begun to remove it' })
}

/** What a crash left of an act on several runners, which its row does not name: it can be closed, but nothing is known of them. */
const EARLY_END = {
  outcome: 'failed',
  decidedBy: null,
  why: 'its run ended before anything was removed from the cluster',
} as const
const UNKNOWN_END = {
  outcome: 'failed',
  decidedBy: null,
  why: 'its run ended while it removed the runners: whether they are gone is not known',
} as const

/** `gone`: of its runners, those that it removed before a crash. */
type Continued = ActMeans & { readonly gone: number }

async function takeSteps(candidate: ActCandidate, log: AttemptLog, means: Continued): Promise<ActResult> {
  const { observe, storeEvidence, clock, signal } = means
  const hasAsked = log.row.steps.some(({ step }) => step === 'deregistering')
  await log.advance('storing-evidence')
  const before = await observe(candidate, signal)
  const stored = await storeEvidence({ id: log.row.id, candidate, now: before }, signal)
  const evidence = readAt(clock.now(), stored.kind === 'stored' ? seen(stored.id) : stored)
  const early = prove(candidate, before, () => ({ evidence }), {
    log,
    means,
    open: DEREGISTRATION_OPEN,
    isLetGo: hasAsked && isUnlisted(before),
  })
  if (early.kind === 'refused') return await close(before, early, { log, gone: means.gone })

  await log.advance('deregistering', stored.kind === 'stored' ? { evidence: stored.id } : {})
  const answers = await deregister(before.runners, means)

  await log.advance('proving-again')
  const now = await observe(candidate, signal)
  const late = prove(candidate, now, deregistered(answers, evidence), {
    log,
    means,
    open: NOTHING_OPEN,
    isLetGo: isAccepted(answers) || (hasAsked && isUnlisted(now)),
  })
  if (late.kind === 'refused') return await close(now, late, { log, gone: means.gone })

  await log.advance('removing', { gates: late.proofs })
  const ending = await removeTargets(candidate, now, means)
  return await log.end(ending)
}

function deregistered(answers: Deregistrations, evidence: Proved['evidence']) {
  return ({ snapshot }: RunnerNow): Partial<Proved> => {
    // Without an answer the runner was not there at GitHub when we asked; one that registered since is not proved.
    const answer = answers.get(snapshot.subject.name)
    return { evidence, deregistration: answer ?? snapshot.deregistration }
  }
}

type Proving = {
  readonly log: AttemptLog
  readonly means: ActMeans
  readonly open: ReadonlySet<GateId>
  /** GitHub gives it no more jobs because of us: by what is left of it no policy would propose it, and it serves nobody. */
  readonly isLetGo: boolean
}

function isAccepted(answers: Deregistrations): boolean {
  return [...answers.values()].some(({ observed }) => observed.kind === 'seen' && observed.value.isAccepted)
}

function isUnlisted({ runners }: CandidateNow): boolean {
  return runners.some(({ snapshot }) => snapshot.github.observed.kind === 'none')
}

function prove(
  { act, gates }: ActCandidate,
  { runners, premise }: CandidateNow,
  known: (runner: RunnerNow) => Partial<Proved>,
  { log, means, open, isLetGo }: Proving,
): ActJudgement {
  const snapshots = runners.map((runner): CandidateSnapshot => Object.assign({}, runner.snapshot, known(runner)))
  return judgeAct(snapshots, {
    act: gates ?? act,
    gates: means.gates,
    cap: findCap(log.row, runners.length),
    open,
    premise: isLetGo ? { kind: 'stands' } : premise,
  })
}

/** A set that a crash left may have more runners now than the ledger counted when the attempt began. */
function findCap({ gates, places }: LedgerRow, needs: number): GateProof {
  if (needs <= places) return gates.find(({ gate }) => gate === 'within-cap') ?? NO_CAP
  const why = `the ledger counted ${places} removals for this attempt, and now it needs ${needs}`
  return { gate: 'within-cap', holds: false, why, ageSeconds: 0 }
}

const NO_CAP = { gate: 'within-cap', holds: null, why: 'the ledger counted no places', ageSeconds: 0 } as const

async function close(
  { runners }: CandidateNow,
  { decidedBy, why, proofs }: Extract<ActJudgement, { kind: 'refused' }>,
  { log, gone }: { readonly log: AttemptLog; readonly gone: number },
): Promise<ActResult> {
  if (gone > 0) {
    // "Refused" would say that nothing was done.
    const part = `${why}; ${gone} of ${gone + runners.length} were gone before, and this attempt had begun to remove them`
    return await log.end({ outcome: 'failed', decidedBy: null, why: part }, { gates: proofs })
  }
  const isGone = runners.every(({ snapshot }) => findPresence(snapshot) === 'gone')
  return isGone
    ? await log.end({ outcome: 'vanished', decidedBy: null, why }, { gates: proofs })
    : await log.end({ outcome: 'refused', decidedBy, why }, { gates: proofs })
}

/** After a crash in the removal: what it has removed already needs no proof. */
function withoutRemoved(candidate: ActCandidate, { runners }: CandidateNow): ActCandidate {
  const left = candidate.runners.filter((_, index) => {
    const runner = runners[index]
    const presence = runner === undefined ? 'unknown' : findPresence(runner.snapshot)
    return presence === 'there' || presence === 'unknown'
  })
  return { ...candidate, runners: left }
}
