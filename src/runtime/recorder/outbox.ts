import { backoffMs } from '#/core/basics/backoff.ts'
import type { Clock } from '#/ports/clock.ts'
import type { Log } from '#/ports/log.ts'
import type { PendingWrites, DeathWrite } from '#/ports/pending-writings.ts'
import type { Deaths } from '#/ports/store/deaths.ts'
import { StoreUnavailable } from '#/ports/store/store-unavailable.ts'

export type Outbox = {
  /** Resolves when the write is stored, or kept for a retry. */
  readonly put: (writing: DeathWrite) => Promise<void>
  /** Retries what waits until the signal. */
  readonly run: (signal: AbortSignal) => Promise<void>
  readonly waiting: () => number
}

export type OutboxOptions = {
  readonly deaths: Pick<Deaths, 'record' | 'rejudge'>
  readonly folder: PendingWrites
  readonly clock: Clock
  readonly log: Log
  readonly mostBytes: number
  readonly mostDiskBytes: number
}

const RETRY = { firstMs: 1000, mostMs: 15_000 }
const NO_ROOM = 'too-large: the store was unavailable, and neither memory nor disk had room'

export function createOutbox(options: OutboxOptions): Outbox {
  const { log, folder } = options
  const waiting: DeathWrite[] = []
  let bytes = 0
  let diskBytes = 0
  const keep = async (writing: DeathWrite): Promise<void> => {
    const size = countBytes(writing)
    if (bytes + size <= options.mostBytes) {
      waiting.push(writing)
      bytes += size
      return
    }
    const spilled =
      diskBytes + size <= options.mostDiskBytes ? await folder.add(writing) : { why: 'the pending folder is full' }
    if ('bytes' in spilled) {
      diskBytes += spilled.bytes
      return
    }
    log.error('evidence of a death lost: store unavailable', { ...logFields(writing), why: spilled.why })
    waiting.push(withoutContent(writing))
  }
  const drainMemory = async (): Promise<boolean> => {
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      if ((await attempt(options, next)) === 'later') return false
      waiting.shift()
      bytes -= countBytes(next)
    }
    return true
  }
  const drainDisk = async (signal: AbortSignal): Promise<boolean> => {
    for (const name of await folder.names()) {
      if (signal.aborted) return false
      const writing = await folder.read(name)
      if (writing !== null && (await attempt(options, writing)) === 'later') return false
      if (writing !== null) await letGo(options, name)
    }
    diskBytes = 0
    return true
  }
  return {
    put: async (writing) => {
      if (waiting.length > 0 || (await attempt(options, writing)) === 'later') await keep(writing)
    },
    run: async (signal) => {
      let failures = 0
      let mayBeOnDisk = true
      while (!signal.aborted) {
        mayBeOnDisk ||= diskBytes > 0
        const done = (await drainMemory()) && (!mayBeOnDisk || (await drainDisk(signal)))
        if (done) mayBeOnDisk = false
        failures = done ? 0 : failures + 1
        await options.clock.sleep(backoffMs(RETRY, failures), signal)
      }
      for (const writing of waiting.splice(0)) await handOver(options, writing)
    },
    waiting: () => waiting.length,
  }
}

/** A file that stays is stored again at the next start, which changes nothing. */
async function letGo({ folder, log }: OutboxOptions, name: string): Promise<void> {
  try {
    await folder.remove(name)
  } catch (error) {
    log.error('cannot remove a stored death from the pending folder', { name, why: String(error) })
  }
}

/** What still waits must survive this process, which may be stopping because the store is unavailable. */
async function handOver(options: OutboxOptions, writing: DeathWrite): Promise<void> {
  if ((await attempt(options, writing)) !== 'later') return
  const kept = await options.folder.add(writing)
  if ('bytes' in kept) return
  options.folder.hold(writing)
  options.log.error('death kept in memory only: cannot write it to the store or to disk', {
    ...logFields(writing),
    ...kept,
  })
}

/** A write that the store rejects would be rejected again; with the store unavailable it is retried. */
async function attempt({ deaths, log }: OutboxOptions, writing: DeathWrite): Promise<'stored' | 'refused' | 'later'> {
  const { postmortem, evidence } = writing
  try {
    await deaths.record(postmortem, evidence)
    if (postmortem.verdict !== null) await deaths.rejudge(postmortem.uid, postmortem.verdict)
    return 'stored'
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    if (error instanceof StoreUnavailable) {
      log.warn('store unavailable, death will be retried', { ...logFields(writing), why })
      return 'later'
    }
    log.error('store rejected a death', { ...logFields(writing), why })
    return 'refused'
  }
}

function logFields({ postmortem: { namespace, pod, uid } }: DeathWrite) {
  return { pod: `${namespace}/${pod}`, uid }
}

/** The size of a row without its evidence. */
const ROW_BYTES = 2048

function countBytes({ evidence }: DeathWrite): number {
  return evidence.reduce((sum, { content }) => sum + (content?.length ?? 0), ROW_BYTES)
}

function withoutContent({ postmortem, evidence }: DeathWrite): DeathWrite {
  return {
    postmortem,
    evidence: evidence.map((part) =>
      part.content === null ? part : { ...part, observed: 'blind', reason: NO_ROOM, content: null },
    ),
  }
}
