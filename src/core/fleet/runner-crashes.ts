import { at, toFields, textAt } from '#/core/basics/fields.ts'
import type { Fleet, Runner } from '#/core/fleet/fleet.ts'
import { controllerLines } from './container-logs.ts'
import { knownRunnerContainer } from '#/core/kubernetes/runner-container.ts'
import type { PodRecord } from '#/core/kubernetes/pod-record.ts'

/** The controller logs this when it replaces a runner with a new one, whose failures map is empty. */
export const GIVEN_UP = 'EphemeralRunner has failed more than'

/** Startup crashes of one runner and of the others of its set. */
export type Crashes = {
  /** Entries in its own failures map. */
  readonly own: number
  /** Pods of the set that lived under a minute and are not in that map. */
  readonly others: number
  /** Runners of the set that the controller gave up on in the last minutes. */
  readonly givenUp: number
}

/**
 * ARC replaces a crashing runner after a few minutes, so none gets old enough to show the loop alone: short-lived pods
 * of its set count too.
 */
export function runnerCrashes(fleet: Fleet, findSetKey: (runner: Runner) => string): (runner: Runner) => Crashes {
  const since = fleet.now - fleet.thresholds.crashLoopWindow
  const shortLived = Map.groupBy(
    fleet.pods.filter((pod) => isShortLived(pod, fleet)),
    ({ namespace, labels }) => `${namespace}/${textAt(labels, 'actions.github.com/scale-set-name') ?? ''}`,
  )
  const owners = [
    ...new Map(fleet.runners.map((one) => [`${one.namespace}/${one.runnerSetName}-runner-`, findSetKey(one)])),
  ]
  const givenUp = new Map<string, number>()
  for (const { kind, text, at: time, namespace, name } of controllerLines(fleet)) {
    if (kind !== 'ephemeralrunner' || !text.includes(GIVEN_UP) || (time ?? 0) < since) continue
    const key = owners.find(([prefix]) => `${namespace}/${name}`.startsWith(prefix))?.[1]
    if (key !== undefined) givenUp.set(key, (givenUp.get(key) ?? 0) + 1)
  }
  return (runner) => {
    const key = findSetKey(runner)
    const counted = toFields(at(runner.raw, 'status', 'failures'))
    const others = (shortLived.get(key) ?? []).filter(({ uid }) => uid === null || counted[uid] === undefined)
    return { own: runner.failures.length, others: others.length, givenUp: givenUp.get(key) ?? 0 }
  }
}

/** A short job exits with 0; only other exit codes are crashes. */
function isShortLived(pod: PodRecord, { now, thresholds }: Fleet): boolean {
  const container = knownRunnerContainer(pod)
  if (container?.state.kind !== 'terminated' || textAt(pod.labels, 'actions.github.com/scale-set-name') === null)
    return false
  const { startedAt, finishedAt, exitCode } = container.state
  if (startedAt === null || finishedAt === null || exitCode === 0) return false
  return finishedAt - startedAt < thresholds.crashLoopLife && now - finishedAt <= thresholds.crashLoopWindow
}
