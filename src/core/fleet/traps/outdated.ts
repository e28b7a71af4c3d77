import { textAt } from '#/core/basics/fields.ts'
import { printAge } from '#/core/basics/age.ts'
import type { Fleet, Runner } from '#/core/fleet/fleet.ts'
import { quote } from '#/core/fleet/container-logs.ts'
import type { ArcLine } from '#/core/fleet/container-logs.ts'
import type { PodRecord } from '#/core/kubernetes/pod-record.ts'
import { knownRunnerContainer, runnerName } from '#/core/kubernetes/runner-container.ts'
import type { SetParts } from '#/core/fleet/set-parts.ts'
import { setKey } from '#/core/fleet/set-parts.ts'

/** GitHub no longer accepts this runner version. */
export type Outdated = {
  readonly evidence: readonly string[]
  /** Runners that show it themselves. */
  readonly runners: readonly { readonly runner: Runner; readonly evidence: readonly string[] }[]
}

/** The controller's log lines about it. */
export const OUTDATED_MENTIONS: readonly string[] = [
  'Ephemeral runner set is outdated',
  'Updating ephemeral runner status to Outdated',
]
const DEPRECATED = 'is deprecated and cannot receive messages'
const DEPRECATED_EXIT = 7

/** By `setKey`; a set without an entry is not outdated. */
export function outdatedSets(
  fleet: Fleet,
  sets: readonly SetParts[],
  lines: readonly ArcLine[],
): ReadonlyMap<string, Outdated> {
  const view: OutdatedView = {
    fleet,
    controllerLines: linesBySet(fleet, sets, lines),
    logged: runnerLines(fleet),
    pods: Map.groupBy(
      fleet.pods.filter((pod) => exitedOutdated(pod)),
      ({ namespace, labels }) => `${namespace}/${textAt(labels, 'actions.github.com/scale-set-name') ?? ''}`,
    ),
  }
  return new Map(
    sets.flatMap((parts) => {
      const runners = parts.runners.flatMap((runner) => describeRunner(runner, view))
      const evidence = [...describeSet(parts, view), ...runners.flatMap((one) => one.evidence)]
      return evidence.length === 0 ? [] : [[setKey(parts.set), { evidence: [...new Set(evidence)], runners }] as const]
    }),
  )
}

type OutdatedView = {
  readonly fleet: Fleet
  readonly controllerLines: ReadonlyMap<string, readonly ArcLine[]>
  /** Runners' own log lines, by `namespace/name`. */
  readonly logged: ReadonlyMap<string, string>
  readonly pods: ReadonlyMap<string, readonly PodRecord[]>
}

function describeSet(parts: SetParts, { fleet, controllerLines: said, pods, logged }: OutdatedView): readonly string[] {
  const { set, runnerSets } = parts
  const line = said.get(setKey(set))?.at(-1)
  return [
    ...(set.phase === 'Outdated' ? ["the set's phase is Outdated"] : []),
    ...runnerSets.flatMap(({ name, phase }) =>
      phase === 'Outdated' ? [`the phase of EphemeralRunnerSet ${name} is Outdated`] : [],
    ),
    ...(pods.get(setKey(set)) ?? []).map(
      ({ name }) => `the runner of pod ${name} ended with exit code ${DEPRECATED_EXIT}`,
    ),
    ...(line === undefined || hasSurvived(parts, line.at, fleet) ? [] : [`the controller: ${quote(line.text)}`]),
    ...describeGoneLog(parts, logged, fleet),
    ...madeAgain(parts, fleet),
  ]
}

/** A log may outlive its runner: up to 0.13 the runner exits with 0 and is replaced at once. */
function describeGoneLog(parts: SetParts, logged: OutdatedView['logged'], fleet: Fleet): readonly string[] {
  const { set, runnerSets, runners } = parts
  const existing = new Set(runners.map(({ namespace, name }) => `${namespace}/${name}`))
  const prefixes = [...runnerSets.map(({ name }) => name), set.name].map((name) => `${set.namespace}/${name}-runner-`)
  const isSettled = runners.some(({ ready, createdAt }) => ready === true && isOlderThanMinute(createdAt, fleet))
  if (isSettled) return []
  const found = [...logged].find(([key]) => !existing.has(key) && prefixes.some((prefix) => key.startsWith(prefix)))
  return found === undefined ? [] : [found[1]]
}

function describeRunner(runner: Runner, { logged }: OutdatedView): Outdated['runners'] {
  const line = logged.get(`${runner.namespace}/${runner.name}`)
  const evidence = [
    ...(runner.phase === 'Outdated' ? [`the phase of ${runner.name} is Outdated`] : []),
    ...(runner.pod !== null && exitedOutdated(runner.pod)
      ? [`the runner of pod ${runner.name} ended with exit code ${DEPRECATED_EXIT}`]
      : []),
    ...(line === undefined ? [] : [line]),
  ]
  return evidence.length === 0 ? [] : [{ runner, evidence }]
}

function exitedOutdated(pod: PodRecord): boolean {
  const container = knownRunnerContainer(pod)
  if (container === null || textAt(pod.labels, 'actions.github.com/scale-set-name') === null) return false
  return [container.state, container.last].some(
    (state) => state.kind === 'terminated' && state.exitCode === DEPRECATED_EXIT,
  )
}

/** A runner set that was created after the line and still exists shows that it was fixed. */
function hasSurvived({ runnerSets }: SetParts, at: number | null, fleet: Fleet): boolean {
  return runnerSets.some(
    ({ createdAt, deletedAt }) =>
      deletedAt === null && createdAt !== null && createdAt > (at ?? 0) && isOlderThanMinute(createdAt, fleet),
  )
}

function isOlderThanMinute(time: number | null, { now, thresholds }: Fleet): boolean {
  return time !== null && now - time > thresholds.listenerPodMissing
}

/**
 * Development builds between 0.14 and 0.15 delete listener and runner set every few seconds and record nothing in the set.
 * If the controller's log was read, it shows the reason and this check is skipped.
 */
function madeAgain({ set, listeners, runnerSets }: SetParts, fleet: Fleet): readonly string[] {
  const { now, thresholds, snapshot } = fleet
  const hasLog = snapshot.logs.kind === 'seen' && snapshot.logs.value.some(({ container }) => container === 'manager')
  const [newest] = runnerSets
  if (set.generation !== 'head' || hasLog || newest === undefined || set.createdAt === null) return []
  const isYoung = [newest, ...listeners].every(({ createdAt }) => !isOlderThanMinute(createdAt, fleet))
  return isYoung && now - set.createdAt > thresholds.crashLoopWindow
    ? [
        `EphemeralRunnerSet ${newest.name} is ${printAge(newest.createdAt, now)} old, its set ${printAge(set.createdAt, now)}`,
      ]
    : []
}

function linesBySet(
  { now, thresholds }: Fleet,
  sets: readonly SetParts[],
  lines: readonly ArcLine[],
): ReadonlyMap<string, readonly ArcLine[]> {
  const owners = new Map(
    sets.flatMap(({ set, runnerSets }) => runnerSets.map((own) => [setKey(own), setKey(set)] as const)),
  )
  const own = lines.filter(
    ({ text, at }) =>
      now - (at ?? 0) <= thresholds.recentLines && OUTDATED_MENTIONS.some((mention) => text.includes(mention)),
  )
  return Map.groupBy(own, (line) => {
    if (line.kind === 'autoscalingrunnerset') return setKey(line)
    const runnerSet = line.kind === 'ephemeralrunner' ? line.name.replace(/-runner-[a-z0-9]+$/, '') : line.name
    return owners.get(`${line.namespace}/${runnerSet}`) ?? `${line.namespace}/${runnerSet.replace(/-[a-z0-9]{5}$/, '')}`
  })
}

function runnerLines({ snapshot, now, thresholds, podAt }: Fleet): ReadonlyMap<string, string> {
  if (snapshot.logs.kind !== 'seen') return new Map()
  return new Map(
    snapshot.logs.value.flatMap(({ namespace, pod, container, lines }) => {
      const line = lines.findLast(
        ({ text, at }) => text.includes(DEPRECATED) && now - (at ?? now) <= thresholds.recentLines,
      )
      return container !== runnerName(podAt(namespace, pod)) || line === undefined
        ? []
        : [[`${namespace}/${pod}`, `the log of ${pod}: ${quote(line.text)}`] as const]
    }),
  )
}
