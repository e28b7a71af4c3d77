import { lifeOf, timeOfDeath } from '#/core/recorder/end-of-life.ts'
import { isOverdue } from '#/core/recorder/never-started.ts'
import type { BlindReason } from '#/core/basics/observed.ts'
import { runnerCandidates } from '#/core/kubernetes/runner-container.ts'
import type { Clock } from '#/ports/clock.ts'
import type { Kubernetes } from '#/ports/kubernetes.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'
import type { Sighting } from '#/ports/store.ts'
import type { EndedPod } from './ended-pod.ts'
import type { LogFollowers } from './log-followers.ts'
import { watchedPod } from './roster.ts'
import type { Roster, Watched } from './roster.ts'
import type { SightingBook } from './sighting-book.ts'
import type { Undertaker } from './undertaker.ts'
import { whoStands } from './who-stands.ts'

/** A time in which the watch was away, and that has only just ended: it tells now what happened then. */
export type RecentGap = { readonly reason: BlindReason; readonly until: number }

/** Keeps the last state of each pod, and notices when a life is over. */
export type LifeKeeper = {
  /** `isFirst`: we have just begun to look, so its end may be recorded already. */
  readonly see: (object: KubeObject, isFirst: boolean, gap?: RecentGap | null) => void
  /** The watch says that it is deleted, or has other labels now. */
  readonly remove: (object: KubeObject, gap?: RecentGap | null) => void
  /** It went while the watch was away. */
  readonly vanish: (object: KubeObject, gap: BlindReason | null) => void
  /** It went while we were not there at all. */
  readonly miss: (sighting: Sighting) => void
  /** Finds those that should be gone by now, and those that should have started. */
  readonly sweep: () => void
}

type Means = {
  readonly kubernetes: Pick<Kubernetes, 'get'>
  readonly clock: Clock
  readonly roster: Roster
  readonly book: SightingBook
  readonly followers: LogFollowers
  readonly undertaker: Undertaker
  readonly startWithinMs: number
  /** What whoever was here before us wrote down of it. */
  readonly sighted: (uid: string) => Sighting | null
}

/** The ways in which a pod is watched no longer. */
function createEndings({ clock, roster, book, followers, undertaker }: Means) {
  const end = (pod: Watched, told: Partial<EndedPod> & Pick<EndedPod, 'diedAt'>, mayBeKnown = false): void => {
    roster.remove(pod.uid)
    if (!roster.endOnce(pod.uid)) return
    undertaker.take({ ...asFound(pod, clock.now()), ...told }, mayBeKnown)
  }
  const leave = (pod: Watched, told: Partial<EndedPod>): void => {
    const diedAt = timeOfDeath(pod.facts, clock.now())
    end(pod, { diedAt, isGone: true, ...told })
  }
  const forget = (uid: string): void => {
    roster.remove(uid)
    book.close(uid)
    followers.stop(uid)
    undertaker.forget(uid)
  }
  return { end, leave, forget }
}

export function createLifeKeeper(means: Means, signal: AbortSignal): LifeKeeper {
  const { clock, roster, book, followers, undertaker, startWithinMs } = means
  const { end, leave, forget } = createEndings(means)
  const see: LifeKeeper['see'] = (object, isFirst, gap = null) => {
    const { uid } = object.metadata
    if (roster.hasEnded(uid)) return
    const now = clock.now()
    const pod = watchedPod(object, now)
    const life = lifeOf(object, pod.facts, now)
    const before = roster.get(uid) ?? asSighted(means.sighted(uid))
    roster.put(pod)
    followers.meet(uid, pod.facts)
    if (life.kind === 'ended') return end(pod, { diedAt: life.diedAt, gap: inGap(life.diedAt, gap, now) }, isFirst)
    book.see(before, pod)
    listen(pod, followers)
  }
  const remove: LifeKeeper['remove'] = (object, recent = null) => {
    const now = clock.now()
    const pod = watchedPod(object, now)
    if (roster.hasEnded(pod.uid)) return
    const gap = inGap(timeOfDeath(pod.facts, now), recent, now)
    if (pod.facts.deletedAt !== null) return leave(pod, { gap })
    void stillStands(means, pod, signal).then((stands) => (stands ? forget(pod.uid) : leave(pod, { gap })))
  }
  return {
    see,
    remove,
    vanish: (object, gap) => {
      const pod = roster.get(object.metadata.uid) ?? watchedPod(object, clock.now())
      if (!roster.hasEnded(pod.uid)) leave(pod, { missed: true, gap })
    },
    miss: (sighting) => {
      const pod = watchedPod(sighting.object as KubeObject, sighting.seenAt)
      void stillStands(means, pod, signal).then((stands) => {
        if (stands) return forget(pod.uid)
        const gap = { code: 'not-asked', detail: `nobody watched from ${when(pod.seenAt)} on` } as const
        return end(pod, { diedAt: clock.now(), isGone: true, missed: true, gap }, true)
      })
    },
    sweep: () => {
      const now = clock.now()
      for (const pod of roster.all()) {
        if (pod.facts.deletedAt !== null) see(pod.object, false)
        else if (isOverdue(pod.facts, startWithinMs, now)) undertaker.askAbout(asFound(pod, now))
      }
    },
  }
}

/** A large fleet is not written down again at each start, only what changed. */
function asSighted(sighting: Sighting | null): Watched | null {
  return sighting === null ? null : watchedPod(sighting.object as KubeObject, sighting.seenAt)
}

/** By its own word, or, where it says nothing, perhaps. */
function inGap(diedAt: number, gap: RecentGap | null, now: number): BlindReason | null {
  return gap !== null && (diedAt <= gap.until || diedAt >= now) ? gap.reason : null
}

function when(at: number): string {
  return new Date(at).toISOString()
}

function asFound({ uid, object, facts, pool, seenAt }: Watched, now: number): EndedPod {
  const time = { seenAt, foundAt: now, diedAt: now }
  return { uid, object, facts, pool, ...time, isGone: false, missed: false, isPending: false, gap: null }
}

function listen({ uid, facts }: Watched, followers: LogFollowers): void {
  const [runner] = runnerCandidates(facts)
  if (runner?.state.kind !== 'running') return
  followers.follow(uid, { namespace: facts.namespace, pod: facts.name, container: runner.name })
}

/** Only an answer that shows the very same pod keeps it alive. */
async function stillStands({ kubernetes }: Means, pod: Watched, signal: AbortSignal): Promise<boolean> {
  return (await whoStands(kubernetes, pod, signal)) === 'the-same'
}
