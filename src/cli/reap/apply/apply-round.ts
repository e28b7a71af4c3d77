import { randomUUID } from 'node:crypto'
import type { ActBook } from '#/cli/acting/open-act-book.ts'
import type { AskedContext } from '#/cli/audit/asked-fleet.ts'
import { look } from '#/cli/reap/plan/look.ts'
import type { ReapAnswer } from '#/cli/reap/plan/look.ts'
import { describeCandidate } from '#/cli/reap/plan/render-reap.ts'
import type { ApplyWish, ReapQuestion } from '#/cli/reap/plan/question.ts'
import type { PlannedRemoval } from '#/core/interlock/plan-removals.ts'
import { toProof } from '#/core/interlock/judge-act.ts'
import { describeResult } from '#/core/interlock/gate.ts'
import { subjectKey } from '#/core/ledger/ledger-row.ts'
import type { LedgerRow } from '#/core/ledger/ledger-row.ts'
import { GATES } from '#/gates/index.ts'
import { act, resume } from '#/runtime/act/act.ts'
import type { ActMeans, ActWarrant } from '#/runtime/act/means.ts'
import { recordRefusal } from '#/runtime/act/record-refusal.ts'
import type { Refusal } from '#/runtime/act/record-refusal.ts'
import { toApplied } from './applied.ts'
import type { Applied, Asked } from './applied.ts'
import { awaitListener, listenerUids } from './await-listener.ts'
import { confirmRemoval } from './confirm.ts'
import { rememberGitHub } from './github-memory.ts'
import { observeLive } from './observe-candidate.ts'
import type { ActingMeans } from './open-means.ts'
import { refuseWithoutRights } from './rights.ts'
import { leftOrder, toOrder } from './to-candidate.ts'

export type RoundMeans = {
  readonly context: AskedContext
  readonly question: ReapQuestion
  readonly wish: ApplyWish
  readonly book: ActBook
  readonly acting: ActingMeans
}

export type Round = {
  readonly answer: ReapAnswer
  readonly run: string
  readonly applied: readonly Applied[]
  /** Somebody said no: nothing was done, and nothing was written. */
  readonly isDeclined: boolean
}

/** A process that is this long silent has ended: its attempts are finished or closed by whoever comes next. */
const ABANDONED_AFTER_MS = 300_000
const MOST_LEFT = 1000

/** Looks, asks, and acts on one candidate after the other. Each round is a run of its own in the ledger. */
export async function applyRound(means: RoundMeans): Promise<Round> {
  const { context, question, wish, book, acting } = means
  const answer = await look(context, question)
  const run = `reap/${randomUUID()}`
  const open = await listLeft(book)
  const asked = [...answer.planned.map((planned) => toAsked(planned, answer)), ...leftAsked(open, answer, question)]
  const wanted = asked.filter((one) => isWanted(one, open))
  await refuseWithoutRights(
    wanted.map(({ order }) => order),
    answer.view,
    { kubernetes: acting.cluster, github: acting.github, githubUrl: acting.githubUrl, signal: context.signal },
  )
  const listed = { asked: wanted, spared: asked.length - wanted.length }
  if (wanted.length > 0 && !wish.isConfirmed && !(await confirmRemoval(context.terminal, listed, context.signal))) {
    return { answer, run, applied: [], isDeclined: true }
  }
  return { answer, run, applied: await actOnAll(asked, { ...means, answer, run, open }), isDeclined: false }
}

async function listLeft({ ledger }: ActBook): Promise<ReadonlyMap<string, LedgerRow>> {
  const rows = await ledger.list({ outcome: 'planned', limit: MOST_LEFT })
  return new Map(rows.map((row) => [leftKey(row), row]))
}

function leftKey({ act: id, subject }: Pick<LedgerRow, 'act' | 'subject'>): string {
  return `${id} ${subjectKey(subject)}`
}

function toAsked(planned: PlannedRemoval, { view }: ReapAnswer): Asked {
  return { order: toOrder(planned.proposal, view), planned }
}

/** What earlier runs left under way of the policies and sets that are asked for, and no policy proposes now. */
function leftAsked(
  open: ReadonlyMap<string, LedgerRow>,
  { view, planned }: ReapAnswer,
  { policies, sets }: ReapQuestion,
): readonly Asked[] {
  const proposed = new Set(planned.map(({ proposal }) => leftKey(toOrder(proposal, view).candidate)))
  const isAskedSet = ({ scaleSet }: LedgerRow): boolean =>
    sets.length === 0 || sets.some((name) => name === scaleSet || scaleSet?.endsWith(`/${name}`) === true)
  return [...open].flatMap(([key, row]) => {
    const order = proposed.has(key) || !isAskedSet(row) ? null : leftOrder(row, policies, view)
    return order === null ? [] : [{ order, planned: null }]
  })
}

/** A full cap is decided again by the ledger, which knows what came of the others. */
function isWanted({ order, planned }: Asked, open: ReadonlyMap<string, LedgerRow>): boolean {
  if (planned === null || open.has(leftKey(order.candidate))) return true
  return planned.decision === 'would-remove' || planned.decidedBy === 'within-cap'
}

type Acting = RoundMeans & {
  readonly answer: ReapAnswer
  readonly run: string
  readonly open: ReadonlyMap<string, LedgerRow>
}

async function actOnAll(asked: readonly Asked[], acting: Acting): Promise<readonly Applied[]> {
  const { context, question, book, run } = acting
  const { signal, terminal } = context
  const means = openActMeans(asked, acting)
  const warrant: ActWarrant = {
    actor: book.actor,
    run,
    epoch: null,
    cap: question.cap,
    abandonedAfterMs: ABANDONED_AFTER_MS,
  }
  const applied: Applied[] = []
  for (const one of asked) {
    const { subject } = one.order.candidate
    const name = `${subject.namespace ?? ''}/${subject.name}`
    if (signal.aborted) {
      terminal.notice(`stopped before ${name}: nothing of it was changed`)
      break
    }
    const done = applied.find(({ order, decision }) => decision === 'removed' && isSame(order, one.order))
    if (done !== undefined) {
      // Under another policy too: it needs no second attempt.
      applied.push({ ...done, order: one.order, proposal: one.planned?.proposal ?? null })
      continue
    }
    const result = await actOnOne(one, { acting, means, warrant }).catch((error: unknown) => {
      if (!signal.aborted) throw error
      terminal.notice(
        `stopped in the middle of ${name}: its row in the ledger says how far it got, and the next run finishes or closes it`,
      )
      return null
    })
    if (result === null) break
    terminal.notice(
      `${describeCandidate(one.order.candidate)}: ${result.decision}${result.why === '' ? '' : `: ${result.why}`}`,
    )
    applied.push(result)
  }
  return applied
}

function isSame(a: Asked['order'], b: Asked['order']): boolean {
  return leftKey(a.candidate) === leftKey(b.candidate)
}

type OneMeans = { readonly acting: Acting; readonly means: ActMeans; readonly warrant: ActWarrant }

async function actOnOne(one: Asked, { acting, means, warrant }: OneMeans): Promise<Applied> {
  const { order, planned } = one
  const { open, answer, wish, context } = acting
  const row = open.get(leftKey(order.candidate))
  if (row !== undefined) noteRemovals(row, one, acting)
  if (planned === null) {
    if (row === undefined) throw new Error('what is not proposed has a row')
    return toApplied(one, await resume(row, order.candidate, means, warrant))
  }
  if (!isWanted(one, open)) {
    return toApplied(one, await recordRefusal(order.candidate, toRefusal(planned, answer.now), { means, warrant }))
  }
  const applied = toApplied(one, await act(order.candidate, means, warrant))
  const { setKey } = planned.proposal
  if (applied.decision !== 'removed' || order.policy.id !== 'wedge' || wish.waitMs === null) return applied
  const before = listenerUids(answer.view, setKey)
  return { ...applied, freed: await awaitListener(context, { setKey, before, waitMs: wish.waitMs }) }
}

/** Where a crash came after the request to GitHub, its list may lack these runners because of us. */
function noteRemovals({ steps }: LedgerRow, { order }: Asked, { acting, answer }: Acting): void {
  if (!steps.some(({ step }) => step === 'deregistering')) return
  const uids = new Set(order.candidate.runners.map(({ identity }) => identity.uid))
  for (const { runner } of answer.view.runners) {
    if (uids.has(runner.uid) && runner.runnerId !== null) acting.removals.add(runner.runnerId)
  }
}

function toRefusal({ gates, decidedBy }: PlannedRemoval, now: number): Refusal {
  const deciding = gates.find(({ gate }) => gate === decidedBy)
  return {
    outcome: 'refused',
    decidedBy: decidedBy ?? 'identity',
    why: deciding === undefined ? null : describeResult(deciding.result),
    gates: gates.map((outcome) => toProof(outcome, now)),
  }
}

function openActMeans(asked: readonly Asked[], { context, question, book, acting, answer }: Acting): ActMeans {
  const memory = rememberGitHub(acting.removals.has)
  memory.note(answer.view)
  return {
    ...acting.acts,
    ledger: book.ledger,
    storeEvidence: book.storeEvidence,
    observe: observeLive({
      context,
      kubernetes: acting.cluster,
      githubUrl: acting.githubUrl,
      minAgeMs: question.minAgeMs,
      memory,
      orders: asked.map(({ order }) => order),
    }),
    gates: GATES,
    clock: context.clock,
    signal: context.signal,
  }
}
