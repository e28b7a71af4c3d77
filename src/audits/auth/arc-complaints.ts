import { textAt } from '#/core/basics/fields.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import { parseArcLine } from '#/core/fleet/container-logs.ts'
import type { ScaleSet } from '#/core/fleet/scale-set.ts'
import type { LogExcerpt } from '#/core/fleet/snapshot.ts'

/** GitHub's messages, as ARC logs them. */
export const RATE_LIMIT_MESSAGES: readonly string[] = ['API rate limit exceeded', 'exceeded a secondary rate limit']

/** The rate limit resets every hour, and ARC repeats a refused request more often than that. */
const RECENT_MS = 3_600_000
/** A program that has logged or run for this long since the message has recovered. */
const RECOVERED_MS = 60_000

/** Jobs have credentials of their own: only ARC's log lines count. */
const ARC_CONTAINERS: ReadonlySet<string> = new Set(['listener', 'manager'])

export type ComplaintKind = {
  readonly isOne: (text: string) => boolean
  /** It passes by itself, within the hour. */
  readonly ends: boolean
}

export const RATE_LIMITED: ComplaintKind = {
  isOne: (text) => RATE_LIMIT_MESSAGES.some((message) => text.includes(message)),
  ends: true,
}

/** The last line of the kind, unless it is old or its program has recovered since. */
export function lastComplaint(log: LogExcerpt, fleet: Fleet, { isOne, ends }: ComplaintKind): string | null {
  if (!ARC_CONTAINERS.has(log.container)) return null
  const line = log.lines.findLast(({ text }) => isOne(text))
  if (line === undefined) return null
  const at = line.at ?? fleet.now
  const isCurrent = fleet.now - at < RECENT_MS || (!ends && isDownSince(log, fleet))
  return isCurrent && !hasRecovered(log, at, fleet) ? line.text : null
}

/** The last words of a listener that has been down since then are current, however old they are. */
function isDownSince(log: LogExcerpt, fleet: Fleet): boolean {
  const state = findState(log, fleet)
  return !log.previous && state !== undefined && state.kind !== 'running'
}

function hasRecovered(log: LogExcerpt, since: number, fleet: Fleet): boolean {
  // The controller also serves other sets, so later lines do not show that this one has recovered.
  if (log.container === 'listener' && (log.lastAt ?? 0) - since > RECOVERED_MS) return true
  const state = findState(log, fleet)
  const startedAt = state?.kind === 'running' ? (state.startedAt ?? 0) : 0
  return startedAt > since && fleet.now - startedAt > RECOVERED_MS
}

function findState({ namespace, pod, container }: LogExcerpt, fleet: Fleet) {
  return fleet.podAt(namespace, pod)?.containers.find(({ name }) => name === container)?.state
}

type FindSet = (log: LogExcerpt, line: string) => ScaleSet | null

export function setFinder(fleet: Fleet): FindSet {
  const sets = new Map(fleet.sets.map((set) => [`${set.namespace}/${set.name}`, set]))
  const listeners = new Map(fleet.listeners.map((one) => [`${one.namespace}/${one.name}`, one]))
  return ({ namespace, pod, container }, line) => {
    if (container === 'manager') return findSetOfLine(fleet, line, sets)
    const labels = fleet.podAt(namespace, pod)?.labels
    const listener = listeners.get(`${namespace}/${pod}`)
    const name = listener?.setName ?? textAt(labels, 'actions.github.com/scale-set-name')
    const inside = listener?.setNamespace ?? textAt(labels, 'actions.github.com/scale-set-namespace')
    return sets.get(`${inside}/${name}`) ?? null
  }
}

/** The controller's log lines name the object that it reconciled. */
function findSetOfLine(fleet: Fleet, text: string, sets: ReadonlyMap<string, ScaleSet>): ScaleSet | null {
  const about = parseArcLine({ at: null, text })[0]
  if (about === undefined) return null
  const { kind, namespace, name } = about
  if (kind === 'autoscalinglistener') {
    const listener = fleet.listeners.find((one) => one.namespace === namespace && one.name === name)
    return sets.get(`${listener?.setNamespace}/${listener?.setName}`) ?? null
  }
  const owned = kind === 'ephemeralrunner' ? fleet.runners : fleet.runnerSets
  const owner = owned.find((one) => one.namespace === namespace && one.name === name)
  return sets.get(`${namespace}/${owner?.setName ?? name}`) ?? null
}
