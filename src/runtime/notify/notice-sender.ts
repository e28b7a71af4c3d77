import type { Death } from '#/core/recorder/death.ts'
import { countOnly, emptyOutbox, issue, receive } from '#/core/notify/notice-outbox.ts'
import type { NoticeOutbox } from '#/core/notify/notice-outbox.ts'
import { addCounted, countIn, listUids } from '#/core/notify/notice.ts'
import type { Notice } from '#/core/notify/notice.ts'
import { bucketAfter } from '#/core/notify/rate.ts'
import { FREE_LANE, laneAfter } from '#/core/notify/retry.ts'
import type { Lane } from '#/core/notify/retry.ts'
import type { Sending } from '#/ports/notifier.ts'
import { StoreUnavailable } from '#/ports/store/store-unavailable.ts'
import type { Running } from './channel.ts'
import type { NoticeOutcome } from './notify-metrics.ts'

/** Sends the notices of the outbox to the channel with retries, and gives up those that are too old. */
export type NoticeSender = {
  readonly open: (sentLately: number) => void
  readonly holds: (uid: string) => boolean
  readonly take: (death: Death) => void
  /** This death is only counted. */
  readonly takeByNumber: (death: Death) => void
  /** Does one step; returns when to continue, or null where nothing waits. */
  readonly step: (signal: AbortSignal) => Promise<number | null | 'again'>
}

type State = {
  outbox: NoticeOutbox
  readonly held: Set<string>
  readonly underWay: Notice[]
  readonly lanes: Map<string, Lane>
  /** Sent, and not yet saved as sent. */
  readonly unsaved: { readonly uids: readonly string[]; readonly id: string | null }[]
}

const STORE_AWAY_MS = 2000

export function createNoticeSender(running: Running): NoticeSender {
  const { plan, steady } = running
  const bucket = (sent: number) => bucketAfter(plan.outbox.rate, sent, steady())
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
      state.outbox = receive(state.outbox, plan.outbox, [death], steady())
    },
    takeByNumber: (death) => {
      state.held.add(death.uid)
      state.outbox = countOnly(state.outbox, countIn(null, [death]), steady())
    },
    step: async (signal) => {
      if (!(await saveSent(running, state))) return steady() + STORE_AWAY_MS
      giveUpOld(running, state)
      running.counts.waiting(state.held.size)
      const due = state.underWay.find((notice) => findLane(running, state, notice).notBefore <= steady())
      if (due !== undefined) {
        await send(running, state, { notice: due, signal })
        // At once: after a stop here it must not look unsent.
        await saveSent(running, state)
        return 'again'
      }
      return issueNext(running, state)
    },
  }
}

function issueNext({ plan, clock, steady }: Running, state: State): number | null | 'again' {
  const now = steady()
  const times = state.underWay.map((notice) => {
    const { notBefore } = state.lanes.get(nameOfLane(plan, notice)) ?? FREE_LANE
    return Math.min(notBefore, notice.since + plan.mostAgeMs + 1)
  })
  if (state.underWay.length < plan.mostUnderWay) {
    const { outbox, notice, lookAt } = issue(state.outbox, plan.outbox, now)
    state.outbox = outbox
    if (notice !== null) {
      state.underWay.push({ ...notice, issuedAt: clock.now() })
      return 'again'
    }
    if (lookAt !== null) times.push(lookAt)
  }
  return times.length === 0 ? null : Math.min(...times)
}

type SendingOne = { readonly notice: Notice; readonly signal: AbortSignal }

async function send(running: Running, state: State, { notice, signal }: SendingOne): Promise<void> {
  const { plan, sentNotices, clock } = running
  const uids = listUids(notice)
  if (!(await unlessAway(() => sentNotices.begin(uids, clock.now())))) {
    return setBack(running, state, { notice, paused: null, notBefore: null })
  }
  const sending = await plan.notifier.send(notice, signal)
  // Stopped while sending: it may have arrived, and stays marked as being sent.
  if (signal.aborted && sending.kind !== 'sent') return
  if (sending.kind !== 'sent') await unlessAway(() => sentNotices.undo(uids))
  conclude(running, state, { notice, sending })
}

function conclude(running: Running, state: State, { notice, sending }: { notice: Notice; sending: Sending }): void {
  const { plan, log, counts } = running
  const fields = { channel: plan.name, notice: notice.id }
  const before = findLane(running, state, notice)
  counts.outcome(OUTCOMES[sending.kind])
  switch (sending.kind) {
    case 'sent':
      if (before.paused !== null) log.info('channel works again', fields)
      state.lanes.delete(nameOfLane(plan, notice))
      remove(state, notice)
      return settle(state, notice, notice.id)
    case 'later':
      log.warn('cannot send a notice, will retry', { ...fields, why: sending.why })
      return setBack(running, state, { notice, paused: null, notBefore: sending.notBefore })
    case 'paused':
      if (before.paused !== sending.why)
        log.error('channel paused until someone fixes it', { ...fields, why: sending.why })
      return setBack(running, state, { notice, paused: sending.why, notBefore: null })
    case 'refused':
      log.error('channel rejected a notice', { ...fields, why: sending.why })
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
  { plan, clock, steady, random }: Running,
  state: State,
  { notice, paused, notBefore }: { notice: Notice; paused: string | null; notBefore: number | null },
): void {
  const name = nameOfLane(plan, notice)
  const lane = state.lanes.get(name) ?? FREE_LANE
  const now = steady()
  // The service's time is one of the clock.
  const asked = notBefore === null ? null : now + notBefore - clock.now()
  state.lanes.set(name, laneAfter(lane, { paused, notBefore: asked, chance: random() }, now))
}

function giveUpOld(running: Running, state: State): void {
  const { plan, steady, log, counts } = running
  for (const notice of state.underWay.filter(({ since }) => steady() - since > plan.mostAgeMs)) {
    counts.outcome('expired')
    const deaths = listUids(notice).length
    log.error('gave up on a notice: too old', { channel: plan.name, notice: notice.id, deaths })
    giveUp(running, state, notice)
  }
  const { counted } = state.outbox
  if (!plan.outbox.isPerDeath || counted === null) return
  counts.outcome('expired')
  log.error('too many deaths wait for a channel: some are not sent', { channel: plan.name, deaths: counted.count })
  state.outbox = { ...state.outbox, counted: null }
  for (const uid of counted.uids) state.held.delete(uid)
}

/** Its deaths are only counted; with one notice for each death, the log and the metric have reported it. */
function giveUp({ plan, steady }: Running, state: State, notice: Notice): void {
  remove(state, notice)
  if (plan.outbox.isPerDeath) return settle(state, notice, null)
  const counted = addCounted(countIn(null, notice.about?.deaths ?? []), notice.more)
  state.outbox = countOnly(state.outbox, counted, steady())
}

function settle(state: State, notice: Notice, id: string | null): void {
  state.unsaved.push({ uids: listUids(notice), id })
}

async function saveSent({ sentNotices, clock, log, plan }: Running, state: State): Promise<boolean> {
  for (let next = state.unsaved[0]; next !== undefined; next = state.unsaved[0]) {
    const { uids, id } = next
    if (!(await unlessAway(() => sentNotices.done(uids, id, clock.now())))) {
      log.warn('cannot save sent notices: store unavailable', { channel: plan.name })
      return false
    }
    state.unsaved.shift()
    for (const uid of uids) state.held.delete(uid)
  }
  const { waiting, ready, counted } = state.outbox
  // Deaths beyond the number of UIDs that a count keeps.
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

function findLane({ plan }: Running, state: State, notice: Notice): Lane {
  return state.lanes.get(nameOfLane(plan, notice)) ?? FREE_LANE
}

function nameOfLane({ notifier }: Running['plan'], notice: Notice): string {
  return notifier.lane?.(notice) ?? ''
}
