import { blind, none, seen } from '#/core/basics/observed.ts'
import type { BlindReason, Observed } from '#/core/basics/observed.ts'
import type { Clock } from '#/ports/clock.ts'
import type { Kubernetes, LogEvent, LogRequest, LogTail } from '#/ports/kubernetes.ts'
import { createLogRing } from './log-ring.ts'
import type { LogRing } from './log-ring.ts'

/** Follows the logs of live runners, so that the end of a log outlives its pod. */
export type HeardLog = LogTail & {
  /** The stream was lost at this time: later lines are missing. */
  readonly lost?: { readonly since: number; readonly reason: BlindReason }
}

export type LogFollowers = {
  readonly follow: (uid: string, log: LogRequest) => void
  /** What was read so far. `blind`: the log was not followed, and why. */
  readonly heard: (uid: string) => Observed<HeardLog>
  /** Resolves when the log has ended, or at once where it is not followed. */
  readonly ended: (uid: string) => Promise<void>
  readonly stop: (uid: string) => void
  /** Logs are followed by pod name: when a new pod gets the name, later lines are not of the old pod. */
  readonly meet: (uid: string, pod: { readonly namespace: string; readonly name: string }) => void
  readonly streams: () => number
  readonly bytes: () => number
}

export type FollowLimits = { readonly logBytes: number; readonly mostStreams: number; readonly mostRingBytes: number }

type Follower = {
  readonly name: string
  readonly ring: LogRing
  readonly stop: AbortController
  readonly done: Promise<void>
  lost: HeardLog['lost']
  /** Only a log that was read to its end is known to be empty. */
  end: Extract<LogEvent, { kind: 'ended' }>['why'] | null
}

export function followLogs(
  kubernetes: Pick<Kubernetes, 'followLog'>,
  { clock, ...limits }: FollowLimits & { readonly clock: Pick<Clock, 'now'> },
  signal: AbortSignal,
): LogFollowers {
  const followers = new Map<string, Follower>()
  const byName = new Map<string, string>()
  const refused = new Map<string, BlindReason>()
  let [open, bytes] = [0, 0]
  const refuse = (uid: string, why: string): void => void refused.set(uid, overLimit(why))
  const drop = (uid: string, follower: Follower | undefined): void => {
    if (follower === undefined || followers.get(uid) !== follower) return
    followers.delete(uid)
    if (byName.get(follower.name) === uid) byName.delete(follower.name)
    bytes -= follower.ring.held()
    follower.stop.abort()
  }
  const listen = async (uid: string, log: LogRequest, follower: Follower): Promise<void> => {
    open += 1
    try {
      for await (const event of kubernetes.followLog(log, AbortSignal.any([signal, follower.stop.signal]))) {
        // Lines that arrive after the stop are not counted.
        if (follower.stop.signal.aborted) return
        follower.lost = lostAfter(event, follower.lost, clock.now())
        if (event.kind === 'ended') follower.end = event.why
        if (event.kind !== 'line') continue
        bytes += follower.ring.take(`${event.at} ${event.text}\n`)
        if (bytes <= limits.mostRingBytes) continue
        refuse(uid, `the logs that are followed hold more than ${limits.mostRingBytes} bytes`)
        return drop(uid, follower)
      }
    } catch (error) {
      follower.lost = { since: clock.now(), reason: toReason(error) }
    } finally {
      open -= 1
    }
  }
  return {
    follow: (uid, log) => {
      if (followers.has(uid) || refused.has(uid)) return
      if (open >= limits.mostStreams)
        return refuse(uid, `more than ${limits.mostStreams} logs would be followed at once`)
      const follower = newFollower(log, limits.logBytes)
      followers.set(uid, follower)
      byName.set(follower.name, uid)
      Object.assign(follower, { done: listen(uid, log, follower) })
    },
    heard: (uid) => readTail(followers.get(uid), refused.get(uid)),
    ended: async (uid) => followers.get(uid)?.done,
    stop: (uid) => {
      refused.delete(uid)
      drop(uid, followers.get(uid))
    },
    meet: (uid, { namespace, name }) => {
      const known = byName.get(`${namespace}/${name}`)
      if (known !== undefined && known !== uid) followers.get(known)?.stop.abort()
    },
    streams: () => open,
    bytes: () => bytes,
  }
}

function newFollower({ namespace, pod }: LogRequest, logBytes: number): Follower {
  const base = { ring: createLogRing(logBytes), stop: new AbortController(), lost: undefined, end: null }
  return { name: `${namespace}/${pod}`, ...base, done: Promise.resolve() }
}

function toReason(error: unknown): BlindReason {
  return blind('server-error', error instanceof Error ? error.message : String(error)).reason
}

function lostAfter(event: LogEvent, lost: HeardLog['lost'], now: number): HeardLog['lost'] {
  if (event.kind === 'blind') return { since: lost?.since ?? now, reason: event.reason }
  return event.kind === 'line' ? undefined : lost
}

function readTail(follower: Follower | undefined, refused: BlindReason | undefined): Observed<HeardLog> {
  if (refused !== undefined) return { kind: 'blind', reason: refused }
  if (follower === undefined) return blind('not-asked', 'the log was not followed: the container was not seen running')
  const tail = follower.ring.tail()
  const { lost, end } = follower
  if (tail.text !== '') return seen(lost === undefined ? tail : { ...tail, lost })
  if (lost !== undefined) return { kind: 'blind', reason: lost.reason }
  if (end === 'container-ended') return none()
  return end === 'pod-gone'
    ? blind('expired', 'the pod was gone before a line of its log was read')
    : blind('not-asked', 'nothing of the log was read yet')
}

function overLimit(detail: string): BlindReason {
  return blind('refused-by-limits', detail).reason
}
