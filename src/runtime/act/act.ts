import { findPresence, judgeAct } from '#/core/interlock/judge-act.ts'
import type { GateId } from '#/core/interlock/gate.ts'
import type { Ending } from '#/core/ledger/attempt.ts'
import { subjectKey } from '#/core/ledger/ledger-row.ts'
import type { LedgerRow } from '#/core/ledger/ledger-row.ts'
import type { ActCandidate } from '#/ports/act-candidate.ts'
import { AttemptLog, AttemptLost } from './attempt-log.ts'
import { carryOut } from './carry-out.ts'
import type { ActMeans, ActResult, ActWarrant } from './means.ts'
import { toAttempt } from './to-attempt.ts'

/** The act itself makes their proof. */
const STEPS: ReadonlySet<GateId> = new Set(['github-deregistered', 'evidence-stored'])

/**
 * The only way to remove something. It reads afresh, checks every gate of the act, begins an attempt in the ledger, and
 * carries it out. Every attempt has a row, whether it was permitted or not. An attempt that a crash left is taken over.
 */
export async function act(candidate: ActCandidate, means: ActMeans, warrant: ActWarrant): Promise<ActResult> {
  const { ledger, observe, gates, clock, signal } = means
  const now = await observe(candidate, signal)
  const snapshots = now.runners.map(({ snapshot }) => snapshot)
  const judged = judgeAct(snapshots, {
    act: candidate.gates ?? candidate.act,
    gates,
    cap: null,
    open: STEPS,
    premise: now.premise,
  })
  const attempt = toAttempt(candidate, warrant, { at: clock.now(), gates: judged.proofs })
  if (judged.kind === 'refused') {
    const left = await findLeft(candidate, means)
    if (left !== null) return await resume(left, candidate, means, warrant)
    const isGone = snapshots.every((one) => findPresence(one) === 'gone')
    const ending: Ending = isGone
      ? { outcome: 'vanished', decidedBy: null, why: judged.why }
      : { outcome: 'refused', decidedBy: judged.decidedBy, why: judged.why }
    const recorded = await ledger.record({ ...attempt, ...ending })
    return recorded.kind === 'fenced' ? recorded : { kind: 'ended', row: recorded.row }
  }
  const begun = await ledger.begin({ ...attempt, cap: warrant.cap })
  switch (begun.kind) {
    case 'fenced':
      return begun
    case 'refused':
      return { kind: 'ended', row: begun.row }
    case 'taken':
      return await resume(begun.row, candidate, means, warrant)
    case 'planned':
      return await owned(() => carryOut(candidate, new AttemptLog(begun.row, means, warrant), means))
  }
}

/** More than can be under way on one name. */
const MOST_LEFT = 100

/** What a crash left of the same act: a gate that refuses now must not hide it, because then nobody would close it. */
async function findLeft({ act: id, subject }: ActCandidate, { ledger }: ActMeans): Promise<LedgerRow | null> {
  const rows = await ledger.list({ act: id, outcome: 'planned', name: subject.name, limit: MOST_LEFT })
  return rows.find((row) => subjectKey(row.subject) === subjectKey(subject)) ?? null
}

/**
 * Goes on with an attempt that is under way since a crash: finishes it, or closes it. It needs no lock, because whoever
 * writes the next step has the attempt. A former owner that still lives stops at its own next step; if that is the removal
 * itself, the preconditions let only one of both happen.
 */
export async function resume(
  row: LedgerRow,
  candidate: ActCandidate,
  means: ActMeans,
  warrant: ActWarrant,
): Promise<ActResult> {
  const last = row.steps.at(-1)?.at ?? row.at
  const isAbandoned = row.outcome === 'planned' && means.clock.now() - last >= warrant.abandonedAfterMs
  if (!isAbandoned) return { kind: 'taken', row }
  return await owned(async () => {
    const log = new AttemptLog(row, means, warrant)
    await log.advance('resuming')
    return await carryOut(candidate, log, means)
  })
}

async function owned(work: () => Promise<ActResult>): Promise<ActResult> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof AttemptLost) return error.result
    throw error
  }
}
