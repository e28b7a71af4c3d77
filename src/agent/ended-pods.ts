import { none, seen, seenList } from '#/core/basics/observed.ts'
import type { Observed } from '#/core/basics/observed.ts'
import type { Clock } from '#/ports/clock.ts'
import type { PodLog, PodLogsRequest } from '#/ports/node-agents.ts'
import type { CgroupCopy, PodOnHost } from '#/ports/this-host.ts'
import type { CgroupKeeper } from './cgroup-keeper.ts'
import type { LogKeeper } from './log-keeper.ts'
import type { Spool } from './spool.ts'

/** Joins what is open now with what was kept of pods that have ended. */
export type EndedPods = {
  /** Copies to the spool what there is of a pod whose files are going. */
  readonly copy: (uid: string, logs: readonly PodLog[]) => Promise<void>
  readonly logs: (request: PodLogsRequest) => Promise<Observed<readonly PodLog[]>>
  readonly counters: (pod: PodOnHost, signal: AbortSignal) => Promise<Observed<readonly CgroupCopy[]>>
  /** The server has them: they are let go, and not kept again. */
  readonly stored: (uids: readonly string[]) => Promise<void>
  readonly isStored: (uid: string) => boolean
}

export type EndedPodsMeans = {
  readonly spool: Spool
  readonly cgroups: CgroupKeeper
  readonly logs: () => LogKeeper
  readonly clock: Clock
}

const MOST_REMEMBERED = 5000

export function createEndedPods({ spool, cgroups, logs, clock }: EndedPodsMeans): EndedPods {
  const done = new Set<string>()
  const isStored = (uid: string): boolean => done.has(uid)
  return {
    copy: async (uid, tails) => {
      const counters = cgroups.copiesOf(uid)
      if (isStored(uid) || (tails.length === 0 && counters.length === 0)) return
      // A pod may be seen to end twice: by its files, and when the server names it no more.
      const before = tails.length === 0 || counters.length === 0 ? await spool.read(uid) : null
      await spool.put({
        uid,
        keptAt: clock.now(),
        logs: tails.length === 0 ? (before?.logs ?? []) : tails,
        counters: counters.length === 0 ? (before?.counters ?? []) : counters,
      })
    },
    logs: async (request) => {
      const open = await logs().read(request)
      if (open.kind !== 'none') return open
      const kept = await spool.read(request.uid)
      return kept === null ? none() : seenList(kept.logs.map((log) => cutTo(log, request.tailBytes)))
    },
    counters: async (pod, signal) => {
      const read = await cgroups.read(pod, signal)
      if (read.kind !== 'none') return read
      const kept = await spool.read(pod.uid)
      return kept === null || kept.counters.length === 0 ? none() : seen(kept.counters)
    },
    stored: async (uids) => {
      for (const uid of uids) {
        done.add(uid)
        const [oldest] = done
        if (done.size > MOST_REMEMBERED && oldest !== undefined) done.delete(oldest)
        cgroups.forget(uid)
        await logs().forget(uid)
        await spool.remove(uid)
      }
    },
    isStored,
  }
}

/** The end of it, from the beginning of a line. */
function cutTo(log: PodLog, tailBytes: number): PodLog {
  const bytes = Buffer.from(log.text)
  if (bytes.length <= tailBytes) return log
  const end = bytes.toString('utf8', bytes.length - tailBytes)
  return { ...log, text: end.slice(end.indexOf('\n') + 1), cut: true }
}
