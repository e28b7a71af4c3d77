import { randomUUID } from 'node:crypto'
import type { ActBook } from '#/cli/acting/open-act-book.ts'
import { noSuchSet } from './find-set.ts'
import type { Terminal } from '#/cli/output/terminal.ts'
import { printable } from '#/cli/output/printable.ts'
import type { BlindReason, Observed } from '#/core/basics/observed.ts'
import { formatDuration } from '#/core/basics/duration.ts'
import type { SetName } from '#/core/fleet/set-parts.ts'
import { describeChange } from '#/core/lane/cap.ts'
import { decideChange } from '#/core/lane/decide-change.ts'
import type { LaneDecision } from '#/core/lane/decide-change.ts'
import { findOwners } from '#/core/lane/find-owners.ts'
import type { LaneOwner } from '#/core/lane/find-owners.ts'
import { judgeDrain } from '#/core/lane/judge-drain.ts'
import type { Drain, GitHubBusy } from '#/core/lane/judge-drain.ts'
import type { LaneOrder } from '#/core/lane/plan-change.ts'
import type { Clock } from '#/ports/clock.ts'
import type { LaneActs } from '#/ports/kubernetes-acts.ts'
import type { CapResult } from '#/runtime/act/set-cap.ts'
import { listCapRows, setCap } from '#/runtime/act/set-cap.ts'
import type { LaneReads } from '#/runtime/lane/read-lane.ts'
import { readLane, readRunners, readSight } from '#/runtime/lane/read-lane.ts'
import { describeOwner, describeWay } from './words.ts'

export type LaneWish = {
  readonly set: SetName
  readonly order: LaneOrder
  readonly isConfirmed: boolean
  readonly proveMs: number
  /** How long to wait for the last job; null: not at all. */
  readonly drainMs: number | null
}

export type LaneTools = {
  readonly reads: LaneReads
  readonly acts: Pick<LaneActs, 'setCap'>
  /** Null: a dry run. */
  readonly book: Pick<ActBook, 'ledger' | 'actor'> | null
  readonly clock: Clock
  readonly terminal: Pick<Terminal, 'ask' | 'notice' | 'progress'>
  readonly askGitHub: (set: object) => Promise<Observed<readonly GitHubBusy[]>>
}

export type LaneOutcome =
  | { readonly kind: 'unread'; readonly reason: BlindReason }
  | (Shown & { readonly kind: 'shown' | 'declined' })
  | (Shown & { readonly kind: 'acted'; readonly result: CapResult | null; readonly drain: Drain | null })

type Shown = LaneDecision & {
  readonly set: SetName
  readonly order: LaneOrder
  readonly owners: readonly LaneOwner[]
}

/** An attempt whose last step is older than this has no owner any more. */
const ABANDONED_AFTER_MS = 60_000

export async function performLane(wish: LaneWish, tools: LaneTools): Promise<LaneOutcome> {
  const { set, order } = wish
  const { reads, book, terminal } = tools
  const now = await readLane(set, reads)
  reads.signal.throwIfAborted()
  if (now.kind === 'blind') return { kind: 'unread', reason: now.reason }
  if (now.kind === 'none') throw noSuchSet(`${set.namespace}/${set.name}`, [])
  const { object, facts } = now.value
  const { uid } = object.metadata
  const rows = book === null ? [] : await listCapRows(book.ledger, set, uid)
  const decision = decideChange(order, facts, rows)
  const owners = findOwners(object)
  const shown: Shown = { ...decision, set, order, owners }
  const { plan } = decision
  if (book === null) return { ...shown, kind: 'shown' }
  if (plan.kind === 'nothing')
    return { ...shown, kind: 'acted', result: null, drain: await awaitDrain(wish, object, tools) }
  // A refusal is an attempt as well: the act writes it down.
  const change = plan.kind === 'change' ? plan : { before: NOWHERE, after: NOWHERE }
  if (plan.kind === 'change') {
    for (const owner of owners) terminal.notice(printable(describeOwner(owner)))
    if (!(await isAgreed(wish, describeChange(plan), tools))) return { ...shown, kind: 'declined' }
  }
  const result = await act({ ...wish, uid, shown: change }, tools, book)
  const drain = result.kind === 'set' ? await awaitDrain(wish, object, tools) : null
  sayInterrupted(shown, result, tools)
  return { ...shown, kind: 'acted', result, drain }
}

const NOWHERE = { min: null, max: null } as const

async function isAgreed(
  { isConfirmed, set }: LaneWish,
  change: string,
  { terminal, reads }: LaneTools,
): Promise<boolean> {
  if (isConfirmed) return true
  const shown = printable(`${set.namespace}/${set.name}: ${change}`)
  const answer = (await terminal.ask?.(`${shown}\nChange it? [y/N] `, reads.signal)) ?? null
  reads.signal.throwIfAborted()
  return /^y(?:es)?$/iu.test(answer?.trim() ?? '')
}

async function act(
  order: LaneWish & Pick<Parameters<typeof setCap>[0], 'uid' | 'shown'>,
  { reads, acts, clock, terminal }: LaneTools,
  { ledger, actor }: NonNullable<LaneTools['book']>,
): Promise<CapResult> {
  const progress = terminal.progress('changing the bounds')
  try {
    return await setCap(
      order,
      {
        ledger,
        clock,
        signal: reads.signal,
        kubernetes: acts,
        read: () => readLane(order.set, reads),
        sight: () => readSight(order.set, reads),
        say: progress.say,
      },
      { actor, run: randomUUID(), epoch: null, cap: { run: null, set: null }, abandonedAfterMs: ABANDONED_AFTER_MS },
    )
  } finally {
    progress.done()
  }
}

const LOOK_EVERY_MS = 5_000

/** Null where nobody asked to wait. */
async function awaitDrain({ set, drainMs }: LaneWish, object: object, tools: LaneTools): Promise<Drain | null> {
  const { reads, clock, terminal, askGitHub } = tools
  if (drainMs === null) return null
  const until = clock.now() + drainMs
  const progress = terminal.progress('waiting for the last job')
  try {
    for (;;) {
      const [runners, github] = await Promise.all([readRunners(set, reads), askGitHub(object)])
      const drain = judgeDrain(runners, github)
      const left = until - clock.now()
      if (drain.kind === 'drained' || left <= 0 || reads.signal.aborted) return drain
      progress.say(`${drain.why}; ${formatDuration(Math.ceil(left / 1000) * 1000)} left`)
      await clock.sleep(Math.min(LOOK_EVERY_MS, left), reads.signal)
    }
  } finally {
    progress.done()
  }
}

/** Ctrl-C: a person must know what stays. */
function sayInterrupted({ set, order, plan }: Shown, result: CapResult, { reads, terminal }: LaneTools): void {
  if (!reads.signal.aborted || plan.kind !== 'change') return
  const name = `${set.namespace}/${set.name}`
  const way = describeWay(order, set)
  if (result.kind === 'set') {
    const stays = `interrupted, and ${name} stays changed: ${describeChange(plan)}`
    terminal.notice(printable(`${stays}${way === null ? '' : `; ${way}`}`))
  } else {
    terminal.notice(printable(`interrupted: ${name} was not changed${'why' in result ? `: ${result.why}` : ''}`))
  }
}
