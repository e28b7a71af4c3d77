import { readLife, timeOfDeath } from '#/core/recorder/end-of-life.ts'
import { hasEnded } from '#/core/recorder/lifecycle.ts'
import { isOverdue } from '#/core/recorder/never-started.ts'
import type { BlindReason } from '#/core/basics/observed.ts'
import { runnerCandidates } from '#/core/kubernetes/runner-container.ts'
import type { Clock } from '#/ports/clock.ts'
import type { Kubernetes } from '#/ports/kubernetes.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'
import type { LivePod } from '#/ports/store/live-pods.ts'
import type { DeathQueue } from './death-queue.ts'
import type { DeathStates } from './death-states.ts'
import type { EndedPod } from './ended-pod.ts'
import type { LogFollowers } from './watching/log-followers.ts'
import type { PodHearing, RecentGap } from './watching/watch-pods.ts'
import { trackedPod } from './watching/tracked-pods.ts'
import type { TrackedPods, TrackedPod } from './watching/tracked-pods.ts'
import type { LivePodWriter } from './watching/live-pod-writer.ts'
import { podWithName } from './pod-with-name.ts'

/** Keeps the last state of each pod, and finds out when one has ended. */
export type PodTracker = PodHearing & {
  /** It went while this server was not running. */
  readonly miss: (livePod: LivePod) => void
  /** Finds pods that should be gone by now, and pods that should have started. */
  readonly sweep: () => void
}

type Means = {
  readonly kubernetes: Pick<Kubernetes, 'get'>
  readonly clock: Clock
  readonly trackedPods: TrackedPods
  readonly livePods: LivePodWriter
  readonly followers: LogFollowers
  readonly states: DeathStates
  readonly deathQueue: DeathQueue
  readonly startWithinMs: number
  /** Nothing of this pod is needed from its node. */
  readonly letGo: (node: string, uid: string) => void
  /** As the process before us saved it. */
  readonly livePodBefore: (uid: string) => LivePod | null
}

/** How a pod stops being tracked. */
function createEndings({ clock, trackedPods, livePods, followers, deathQueue, letGo }: Means) {
  const end = (pod: TrackedPod, known: Partial<EndedPod> & Pick<EndedPod, 'diedAt'>, mayBeKnown = false): void => {
    trackedPods.remove(pod.uid)
    deathQueue.take({ ...asFound(pod, clock.now()), ...known }, mayBeKnown)
  }
  const leave = (pod: TrackedPod, known: Partial<EndedPod>): void => {
    const diedAt = timeOfDeath(pod.facts, clock.now())
    end(pod, { diedAt, isGone: true, ...known })
  }
  const forget = ({ uid, facts: { node } }: TrackedPod): void => {
    if (node !== null) letGo(node, uid)
    trackedPods.remove(uid)
    livePods.remove(uid)
    followers.stop(uid)
    deathQueue.forget(uid)
  }
  return { end, leave, forget }
}

export function createPodTracker(means: Means, signal: AbortSignal): PodTracker {
  const { clock, trackedPods, states, livePods, followers, deathQueue, startWithinMs } = means
  const { end, leave, forget } = createEndings(means)
  const see: PodTracker['see'] = (object, isFirst, gap = null) => {
    const { uid } = object.metadata
    if (hasEnded(states.get(uid))) return
    const now = clock.now()
    const pod = trackedPod(object, now)
    const life = readLife(object, pod.facts, now)
    const before = trackedPods.get(uid) ?? asTracked(means.livePodBefore(uid))
    trackedPods.put(pod)
    followers.meet(uid, pod.facts)
    if (life.kind === 'ended') return end(pod, { diedAt: life.diedAt, gap: inGap(life.diedAt, gap, now) }, isFirst)
    livePods.save(before, pod)
    listen(pod, followers)
  }
  const remove: PodTracker['remove'] = (object, recent = null) => {
    const now = clock.now()
    const pod = trackedPod(object, now)
    if (hasEnded(states.get(pod.uid))) return
    const gap = inGap(timeOfDeath(pod.facts, now), recent, now)
    if (pod.facts.deletedAt !== null) return leave(pod, { gap })
    void stillExists(means, pod, signal).then((stands) => (stands ? forget(pod) : leave(pod, { gap })))
  }
  return {
    see,
    remove,
    vanish: (object, gap) => {
      const pod = trackedPods.get(object.metadata.uid) ?? trackedPod(object, clock.now())
      if (!hasEnded(states.get(pod.uid))) leave(pod, { missed: true, gap })
    },
    miss: (livePod) => {
      const pod = trackedPod(livePod.object as KubeObject, livePod.seenAt)
      void stillExists(means, pod, signal).then((stands) => {
        if (stands) return forget(pod)
        const gap = { code: 'not-asked', detail: `nothing was watching after ${when(pod.seenAt)}` } as const
        return end(pod, { diedAt: clock.now(), isGone: true, missed: true, gap }, true)
      })
    },
    sweep: () => {
      const now = clock.now()
      for (const pod of trackedPods.all()) {
        if (pod.facts.deletedAt !== null) see(pod.object, false)
        else if (isOverdue(pod.facts, startWithinMs, now)) deathQueue.takeOverdue(asFound(pod, now))
      }
    },
  }
}

/** A restart saves only the pods that changed, not the whole fleet. */
function asTracked(livePod: LivePod | null): TrackedPod | null {
  return livePod === null ? null : trackedPod(livePod.object as KubeObject, livePod.seenAt)
}

/** By the pod's own time of death; without one it may have died in the gap. */
function inGap(diedAt: number, gap: RecentGap | null, now: number): BlindReason | null {
  return gap !== null && (diedAt <= gap.until || diedAt >= now) ? gap.reason : null
}

function when(at: number): string {
  return new Date(at).toISOString()
}

function asFound({ uid, object, facts, pool, seenAt }: TrackedPod, now: number): EndedPod {
  const time = { seenAt, foundAt: now, diedAt: now }
  return { uid, object, facts, pool, ...time, isGone: false, missed: false, isPending: false, gap: null }
}

function listen({ uid, facts }: TrackedPod, followers: LogFollowers): void {
  const [runner] = runnerCandidates(facts)
  if (runner?.state.kind !== 'running') return
  followers.follow(uid, { namespace: facts.namespace, pod: facts.name, container: runner.name })
}

/** Only a response with the same UID proves that it still exists. */
async function stillExists({ kubernetes }: Means, pod: TrackedPod, signal: AbortSignal): Promise<boolean> {
  return (await podWithName(kubernetes, pod, signal)) === 'same'
}
