import type { Death } from '#/core/recorder/death.ts'
import { countOnly, emptyOutbox, issue, receive } from '#/core/notify/notice-outbox.ts'
import type { NoticeOutbox } from '#/core/notify/notice-outbox.ts'
import { addCounted, countIn, uidsOf } from '#/core/notify/notice.ts'
import type { Notice } from '#/core/notify/notice.ts'
import { bucketAfter } from '#/core/notify/rate.ts'
import { FREE_LANE, laneAfter } from '#/core/notify/retry.ts'
import type { Lane } from '#/core/notify/retry.ts'
import type { Sending } from '#/ports/notifier.ts'
import { StoreUnavailable } from '#/ports/store.ts'
import type { Running } from './channel.ts'
import type { NoticeOutcome } from './notify-metrics.ts'

/** Carries what the outbox issues to the channel, as often as it takes, and gives up what is too old. */
export type NoticeSender = {
  readonly open: (sentLately: number) => void
  readonly holds: (uid: string) => boolean
  readonly take: (death: Death) => void
  /** Of this one only its number is told. */
  readonly takeByNumber: (death: Death) => void
  /** Does one thing; then says when to go on, or null where nothing waits. */
  readonly step: (signal: AbortSignal) => Promise<number | null | 'again'>
}

type State = {
  outbox: NoticeOutbox
  readonly held: Set<string>
  readonly underWay: Notice[]
  readonly lanes: Map<string, Lane>
  /** Told, and not yet written down. */
  readonly unsaved: { readonly uids: readonly string[]; readonly id: string | null }[]
}

const STORE_AWAY_MS = 2000

export function createNoticeSender(running: Running): NoticeSender {
  const { plan, clock } = running
  const bucket = (sent: number) => bucketAfter(plan.outbox.rate, sent, clock.now())
  const state: State = {
    outbox: emptyOutbox(bucket(0)),
    held: new Set(),
    underWay: [],
    lanes: new Map(),
    unsaved: [],
  }
  return {
    open: (sentLately) => {
      state.outbox = { ...state.outbox, bucket: bucket(sentLately) }
    },
    holds: (uid) => state.held.has(uid),
    take: (death) => {
      state.held.add(death.uid)
      state.outbox = receive(state.outbox, plan.outbox, [death], clock.now())
    },
    takeByNumber: (death) => {
      state.held.add(death.uid)
      state.outbox = countOnly(state.outbox, countIn(null, [death]), clock.now())
    },
    step: async (signal) => {
      if (!(await saveSent(running, state))) return clock.now() + STORE_AWAY_MS
      giveUpOld(running, state)
      running.counts.waiting(state.held.size)
      const due = state.underWay.find((notice) => laneOf(running, state, notice).notBefore <= clock.now())
      if (due !== undefined) {
        await send(running, state, { notice: due, signal })
        // At once: what is stopped here and now must not look as if it was not told.
        await saveSent(running, state)
        return 'again'
      }
      return issueNext(running, state)
    },
  }
}

function issueNext({ plan, clock }: Running, state: State): number | null | 'again' {
  const now = clock.now()
  const times = state.underWay.map((notice) => {
    const { notBefore } = state.lanes.get(nameOfLane(plan, notice)) ?? FREE_LANE
    return Math.min(notBefore, notice.since + plan.mostAgeMs + 1)
  })
  if (state.underWay.length < plan.mostUnderWay) {
    const { outbox, notice, lookAt } = issue(state.outbox, plan.outbox, now)
    state.outbox = outbox
    if (notice !== null) {
      state.underWay.push(notice)
      return 'again'
    }
    if (lookAt !== null) times.push(lookAt)
  }
  return times.length === 0 ? null : Math.min(...times)
}

type SendingOne = { readonly notice: Notice; readonly signal: AbortSignal }

async function send(running: Running, state: State, { notice, signal }: SendingOne): Promise<void> {
  const { plan, sentNotices, clock } = running
  const uids = uidsOf(notice)
  if (!(await unlessAway(() => sentNotices.begin(uids, clock.now())))) {
    return setBack(running, state, { notice, paused: null, notBefore: null })
  }
  const sending = await plan.notifier.send(notice, signal)
  // Stopped in the middle: it may have been taken, and the sentNotices says so.
  if (signal.aborted && sending.kind !== 'sent') return
  if (sending.kind !== 'sent') await unlessAway(() => sentNotices.undo(uids))
  conclude(running, state, { notice, sending })
}

function conclude(running: Running, state: State, { notice, sending }: { notice: Notice; sending: Sending }): void {
  const { plan, log, counts } = running
  const fields = { channel: plan.name, notice: notice.id }
  const before = laneOf(running, state, notice)
  counts.outcome(OUTCOMES[sending.kind])
  switch (sending.kind) {
    case 'sent':
      if (before.paused !== null) log.info('a channel takes notices again', fields)
      state.lanes.delete(nameOfLane(plan, notice))
      remove(state, notice)
      return settle(state, notice, notice.id)
    case 'later':
      log.warn('a notice could not be told; it will be tried again', { ...fields, why: sending.why })
      return setBack(running, state, { notice, paused: null, notBefore: sending.notBefore })
    case 'paused':
      if (before.paused !== sending.why) log.error('a channel is paused', { ...fields, why: sending.why })
      return setBack(running, state, { notice, paused: sending.why, notBefore: null })
    case 'refused':
      log.error('a notice was refused', { ...fields, why: sending.why })
      return giveUp(running, state, notice)
  }
}

const OUTCOMES: Readonly<Record<Sending['kind'], NoticeOutcome>> = {
  sent: 'sent',
  later: 'retried',
  paused: 'paused',
  refused: 'refused',
}

function setBack(
  { plan, clock, random }: Running,
  state: State,
  { notice, paused, notBefore }: { notice: Notice; paused: string | null; notBefore: number | null },
): void {
  const name = nameOfLane(plan, notice)
  const lane = state.lanes.get(name) ?? FREE_LANE
  state.lanes.set(name, laneAfter(lane, { paused, notBefore, chance: random() }, clock.now()))
}

function giveUpOld(running: Running, state: State): void {
  const { plan, clock, log, counts } = running
  for (const notice of state.underWay.filter(({ since }) => clock.now() - since > plan.mostAgeMs)) {
    counts.outcome('expired')
    const deaths = uidsOf(notice).length
    log.error('a notice was given up: nobody took it in time', { channel: plan.name, notice: notice.id, deaths })
    giveUp(running, state, notice)
  }
  const { counted } = state.outbox
  if (!plan.outbox.isPerDeath || counted === null) return
  counts.outcome('expired')
  log.error('too many deaths wait for a channel: some are not told', { channel: plan.name, deaths: counted.count })
  state.outbox = { ...state.outbox, counted: null }
  for (const uid of counted.uids) state.held.delete(uid)
}

/** Its deaths are told by their number; where a channel tells each death alone, the log and the metric have told it. */
function giveUp({ plan, clock }: Running, state: State, notice: Notice): void {
  remove(state, notice)
  if (plan.outbox.isPerDeath) return settle(state, notice, null)
  const counted = addCounted(countIn(null, notice.about?.deaths ?? []), notice.more)
  state.outbox = countOnly(state.outbox, counted, clock.now())
}

function settle(state: State, notice: Notice, id: string | null): void {
  state.unsaved.push({ uids: uidsOf(notice), id })
}

async function saveSent({ sentNotices, clock, log, plan }: Running, state: State): Promise<boolean> {
  for (let next = state.unsaved[0]; next !== undefined; next = state.unsaved[0]) {
    const { uids, id } = next
    if (!(await unlessAway(() => sentNotices.done(uids, id, clock.now())))) {
      log.warn('what was told waits to be written down: the store is away', { channel: plan.name })
      return false
    }
    state.unsaved.shift()
    for (const uid of uids) state.held.delete(uid)
  }
  const { waiting, ready, counted } = state.outbox
  // Those that were beyond the bound of what is counted by name.
  if (waiting.length + ready.length + state.underWay.length === 0 && counted === null) state.held.clear()
  return true
}

async function unlessAway(work: () => Promise<void>): Promise<boolean> {
  try {
    await work()
    return true
  } catch (error) {
    if (error instanceof StoreUnavailable) return false
    throw error
  }
}

function remove(state: State, notice: Notice): void {
  state.underWay.splice(state.underWay.indexOf(notice), 1)
}

function laneOf({ plan }: Running, state: State, notice: Notice): Lane {
  return state.lanes.get(nameOfLane(plan, notice)) ?? FREE_LANE
}

function nameOfLane({ notifier }: Running['plan'], notice: Notice): string {
  return notifier.laneOf?.(notice) ?? ''
}
