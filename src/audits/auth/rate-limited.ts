import { textAt } from '#/core/basics/fields.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import { aboutArc } from '#/core/fleet/log-of.ts'
import type { ScaleSet } from '#/core/fleet/scale-set.ts'
import type { LogExcerpt } from '#/core/fleet/snapshot.ts'

/** GitHub's words, as ARC hands them on. */
export const LIMIT_WORDS: readonly string[] = ['API rate limit exceeded', 'exceeded a secondary rate limit']

/** A line older than this tells of an hour that is over. */
const RECENT_MS = 3_600_000
/** One that has been at work for this long since is past it. */
const GONE_ON_MS = 60_000

/** What jobs spend is their own: only ARC's words count. */
const SPEAKERS: ReadonlySet<string> = new Set(['listener', 'manager'])

/** The last such words, unless they are old or their author has gone on since. */
export function limitedLine(log: LogExcerpt, fleet: Fleet): string | null {
  if (!SPEAKERS.has(log.container)) return null
  const line = log.lines.findLast(({ text }) => LIMIT_WORDS.some((words) => text.includes(words)))
  if (line === undefined) return null
  const at = line.at ?? fleet.now
  return fleet.now - at < RECENT_MS && !hasGoneOn(log, at, fleet) ? line.text : null
}

function hasGoneOn(log: LogExcerpt, since: number, fleet: Fleet): boolean {
  // The controller has other sets to see to, so it goes on writing whatever happens to one of them.
  if (log.container === 'listener' && (log.lastAt ?? 0) - since > GONE_ON_MS) return true
  const state = fleet.podAt(log.namespace, log.pod)?.containers.find(({ name }) => name === log.container)?.state
  const startedAt = state?.kind === 'running' ? (state.startedAt ?? 0) : 0
  return startedAt > since && fleet.now - startedAt > GONE_ON_MS
}

type FindSet = (log: LogExcerpt, line: string) => ScaleSet | null

export function setFinder(fleet: Fleet): FindSet {
  const sets = new Map(fleet.sets.map((set) => [`${set.namespace}/${set.name}`, set]))
  const listeners = new Map(fleet.listeners.map((one) => [`${one.namespace}/${one.name}`, one]))
  return ({ namespace, pod, container }, line) => {
    if (container === 'manager') return setOfLine(fleet, line, sets)
    const labels = fleet.podAt(namespace, pod)?.labels
    const listener = listeners.get(`${namespace}/${pod}`)
    const name = listener?.setName ?? textAt(labels, 'actions.github.com/scale-set-name')
    const inside = listener?.setNamespace ?? textAt(labels, 'actions.github.com/scale-set-namespace')
    return sets.get(`${inside}/${name}`) ?? null
  }
}

/** The controller names the object that it was at. */
function setOfLine(fleet: Fleet, text: string, sets: ReadonlyMap<string, ScaleSet>): ScaleSet | null {
  const about = aboutArc({ at: null, text })[0]
  if (about === undefined) return null
  const { kind, namespace, name } = about
  const owned = kind === 'ephemeralrunner' ? fleet.runners : fleet.runnerSets
  const owner = owned.find((one) => one.namespace === namespace && one.name === name)
  return sets.get(`${namespace}/${owner?.setName ?? name}`) ?? null
}
