import { setImmediate } from 'node:timers/promises'
import { blind, seen } from '#/core/basics/observed.ts'
import type { Blind, Seen } from '#/core/basics/observed.ts'
import type { Clock } from '#/ports/clock.ts'
import type { HostJournalWindow, JournalCopy, ThisHost } from '#/ports/this-host.ts'
import type { AnswerHead } from '#/protocol/answer.ts'
import type { RawAnswer } from '#/protocol/answer-body.ts'
import { LIMITS } from '#/protocol/limits.ts'
import { indexJournal } from './journal-index.ts'
import type { JournalIndex, KnownPod } from './journal-index.ts'
import type { Ask } from './node-agent.ts'
import { mergeWindows, toAsked } from './merge-windows.ts'
import type { AskedWindow } from './merge-windows.ts'

export type JournalBursts = ThisHost['journal']

export type BurstMeans = {
  readonly ask: Ask
  readonly node: string
  readonly clock: Clock
  /** The other pods of the node, whose lines nobody else needs. */
  readonly watched: () => Iterable<KnownPod>
  readonly held: HeldBursts
}

/** The journals at hand, over all nodes. */
export type HeldBursts = { readonly add: (bytes: number, drop: () => void) => () => void }

/** How long the first question waits for others of the same node. */
const GATHER_MS = 250
/** A journal is at hand this long for deaths that it covers already. */
const HELD_MS = 10_000
/** What follows an end (the kubelet's cleaning up, a last kernel line) is in the journal by then. */
const AFTER_MS = 5000
const MOST_BYTES = 64 * 1024 * 1024

type Waiting = {
  readonly window: AskedWindow
  readonly settle: (answer: Seen<JournalCopy> | Blind) => void
}

type Head = Extract<AnswerHead, { kind: 'journal' }>
type Burst = { readonly head: Head; readonly index: JournalIndex; readonly since: number }

/** One read of a node's journal for all that ask at about the same time: what is asked during a read waits for the next one. */
export function createJournalBursts(means: BurstMeans): JournalBursts {
  const { clock } = means
  const waiting = new Set<Waiting>()
  let isRunning = false
  let last: Burst | null = null
  const hold = (burst: Burst): void => {
    const forget = (): void => void (last = last === burst ? null : last)
    const release = means.held.add(burst.index.bytes, forget)
    last = burst
    void clock.sleep(HELD_MS).then(() => {
      forget()
      release()
    })
  }
  const readGroup = async (group: readonly Waiting[]): Promise<void> => {
    const answer = await readBurst(means, group)
    if ('kind' in answer) {
      for (const { settle } of group) settle(answer)
      return
    }
    if (answer.head.gaps.length === 0) hold(answer)
    for (const { window, settle } of group) settle(seen(cutFor(answer, window)))
  }
  const run = async (): Promise<void> => {
    await clock.sleep(GATHER_MS)
    while (waiting.size > 0) {
      const batch = [...waiting]
      for (const one of batch) waiting.delete(one)
      for (const group of mergeWindows(batch)) {
        await readGroup(group).catch((error: unknown) => {
          for (const { settle } of group)
            settle(blind('server-error', `the journal of ${means.node}: ${String(error)}`))
        })
      }
    }
    isRunning = false
  }
  return async (asked, signal) => {
    const window = toWindow(asked)
    if (last !== null && isCovered(last, window)) return seen(cutFor(last, window))
    const { promise, resolve } = Promise.withResolvers<Seen<JournalCopy> | Blind>()
    const one = { window, settle: resolve }
    const stop = (): void => resolve(blind('stopped', `the journal of ${means.node} was not waited for`))
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
    else waiting.add(one)
    if (!isRunning && waiting.size > 0) {
      isRunning = true
      void run()
    }
    const answer = await promise
    signal.removeEventListener('abort', stop)
    waiting.delete(one)
    return answer
  }
}

export function createHeldBursts(mostBytes: number = MOST_BYTES): HeldBursts {
  const held = new Set<{ readonly bytes: number; readonly drop: () => void }>()
  let bytes = 0
  return {
    add: (size, drop) => {
      const one = { bytes: size, drop }
      const release = (): void => void (held.delete(one) && (bytes -= size))
      held.add(one)
      bytes += size
      for (const oldest of held) {
        if (bytes <= mostBytes) break
        held.delete(oldest)
        bytes -= oldest.bytes
        oldest.drop()
      }
      return release
    },
  }
}

function toWindow({ since, until, about }: HostJournalWindow): AskedWindow {
  return { since: since ?? 0, until: until ?? null, about: about ?? null }
}

async function readBurst(means: BurstMeans, group: readonly Waiting[]): Promise<Burst | Blind> {
  const { node, ask, watched } = means
  const asked = toAsked(group.map(({ window }) => window))
  // Those who ask each stop waiting by themselves; the read is for all of them.
  const answer: RawAnswer | Blind = await ask(asked, new AbortController().signal)
  if (answer.kind === 'blind') return answer
  const { head, rest } = answer
  if (head.kind === 'blind') return head
  if (head.kind !== 'journal') {
    return blind('malformed', `the agent on ${node} answered with ${head.kind}, which was not asked for`)
  }
  if (rest.byteLength > LIMITS.journalBytes) {
    return blind('too-large', `the journal from the agent on ${node} is larger than ${LIMITS.journalBytes} bytes`)
  }
  const pods = [...watched(), ...asked.about]
  const index = await indexJournal(toBuffer(rest), pods, () => setImmediate())
  return { head, index, since: asked.since }
}

function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

function isCovered({ head, since }: Burst, window: AskedWindow): boolean {
  if (window.about === null || head.to === null || head.around !== null) return false
  return window.since >= since && window.until === null && head.to >= window.about.at + AFTER_MS
}

function cutFor({ head, index }: Burst, { since, until, about }: AskedWindow): JournalCopy {
  const pieces = index.cut({ since, until, uid: about?.uid ?? null })
  const { around } = head
  const known = around === null || about === null ? null : { from: about.at - around, to: about.at + around }
  const latest = Math.min(head.to ?? Infinity, until ?? Infinity, known?.to ?? Infinity)
  const gaps = [...head.gaps]
  if (index.overlong > 0) {
    gaps.push({
      code: 'too-large',
      detail: `${index.overlong} lines of the journal are too long, or too many, and were left out`,
    })
  }
  return {
    chunks: (async function* () {
      yield* pieces
    })(),
    from: Math.max(head.from, since, known?.from ?? since),
    ending: () => ({ to: latest === Infinity ? null : latest, gaps }),
  }
}
