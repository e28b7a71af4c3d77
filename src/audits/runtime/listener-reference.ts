import type { Fleet } from '#/core/fleet/fleet.ts'
import { logsByContainer, quote } from '#/core/fleet/container-logs.ts'
import type { Listener, RunnerSet } from '#/core/fleet/scale-set.ts'
import type { ExcerptLine } from '#/core/fleet/snapshot.ts'
import type { SetParts } from '#/core/fleet/set-parts.ts'
import { setKey } from '#/core/fleet/set-parts.ts'
import type { RuntimeView, SetView } from '#/core/fleet/traps/view.ts'

const SCALE_SET_GONE = ['RunnerScaleSetNotFoundException', 'No runner scale set found with identifier']
const PATCH_FAILED = 'could not patch ephemeral runner set'
const POLLING = 'Getting next message'

/** Log lines of listener and controller about a dangling reference. */
export const REFERENCE_MENTIONS: readonly string[] = [...SCALE_SET_GONE, PATCH_FAILED, POLLING]

/** `runner-set`: it points to an EphemeralRunnerSet that is gone. `scale-set`: to a scale set that GitHub does not have. */
export type StaleReference = { readonly kind: 'runner-set' | 'scale-set'; readonly evidence: readonly string[] }

/** ARC sets both references once and never checks them again. */
export function staleReferences(view: RuntimeView): ReadonlyMap<string, StaleReference> {
  const controllerLines = readControllerLines(view)
  const findLogs = logsByContainer(view.fleet)
  return new Map(
    view.sets.flatMap((own) => {
      const found =
        byObjects(own, view.fleet) ??
        byListener(own, view.fleet, findLogs) ??
        (controllerLines.has(own.key)
          ? { kind: 'scale-set' as const, evidence: [`the controller: ${controllerLines.get(own.key) ?? ''}`] }
          : null)
      return found === null || own.outdated !== null || own.set.deletedAt !== null ? [] : [[own.key, found] as const]
    }),
  )
}

function byObjects({ set, listener: { listener }, runnerSets }: SetView, fleet: Fleet): StaleReference | null {
  if (listener === null) return null
  const { scaleSetId, name } = listener
  if (scaleSetId !== null && set.scaleSetId !== null && scaleSetId !== set.scaleSetId) {
    return {
      kind: 'scale-set',
      evidence: [`${name} listens for scale set ${scaleSetId}, the set is ${set.scaleSetId} at GitHub`],
    }
  }
  return fleet.saw('kubernetes/ephemeralrunnersets') ? byRunnerSets(listener, runnerSets, fleet) : null
}

function byRunnerSets(
  { name, runnerSetName, createdAt }: Listener,
  runnerSets: readonly RunnerSet[],
  fleet: Fleet,
): StaleReference | null {
  const { listenerPodMissing, wedgeSettled } = fleet.thresholds
  const [newest] = runnerSets
  if (runnerSetName === null || newest?.name === runnerSetName) return null
  const isThere = runnerSets.some((own) => own.name === runnerSetName)
  if (!isThere || newest === undefined) {
    return isSettled(createdAt, listenerPodMissing, fleet)
      ? { kind: 'runner-set', evidence: [`${name} scales EphemeralRunnerSet ${runnerSetName}, which is gone`] }
      : null
  }
  // During a rollover the old listener exists for a moment next to the new generation.
  return isSettled(newest.createdAt, wedgeSettled, fleet)
    ? { kind: 'runner-set', evidence: [`${name} scales ${runnerSetName}, the newest is ${newest.name}`] }
    : null
}

function isSettled(time: number | null, limit: number, { now }: Fleet): boolean {
  return time !== null && now - time > limit
}

/** After a scale set is deleted at GitHub both ids still agree: only logs show it. */
function byListener(
  { listener: { listener } }: SetView,
  { now, thresholds }: Fleet,
  findLogs: ReturnType<typeof logsByContainer>,
): StaleReference | null {
  if (listener === null) return null
  const lines = findLogs(listener.namespace, listener.name, 'listener')
    .toReversed()
    .flatMap((log) => log.lines)
  const line = lines.findLast(isReference)
  if (line === undefined || now - (line.at ?? now) > thresholds.recentLines) return null
  // A listener that polls after the error has recovered.
  const isRecovered = lines.slice(lines.indexOf(line) + 1).some(({ text }) => text.includes(POLLING))
  if (isRecovered) return null
  return {
    kind: line.text.includes(PATCH_FAILED) ? 'runner-set' : 'scale-set',
    evidence: [`the listener: ${quote(line.text)}`],
  }
}

function isReference({ text }: ExcerptLine): boolean {
  return isScaleSetGone(text) || (text.includes(PATCH_FAILED) && text.includes('not found'))
}

function isScaleSetGone(text: string): boolean {
  return SCALE_SET_GONE.some((word) => text.includes(word))
}

/** The controller cannot get a configuration for a new runner: its log line names the runner or the set. */
function readControllerLines({ fleet, sets, lines }: RuntimeView): ReadonlyMap<string, string> {
  const owners = new Map(sets.flatMap((own) => runnerSetKeys(own).map((key) => [key, own.key] as const)))
  const found = new Map<string, string>()
  for (const { kind, namespace, name, text, at } of lines) {
    if (!isScaleSetGone(text) || fleet.now - (at ?? 0) > fleet.thresholds.recentLines) continue
    const own = kind === 'ephemeralrunner' ? name.replace(/-runner-[a-z0-9]+$/, '') : name
    const key = kind === 'autoscalingrunnerset' ? `${namespace}/${name}` : owners.get(`${namespace}/${own}`)
    if (key !== undefined) found.set(key, quote(text))
  }
  return found
}

function runnerSetKeys({ runnerSets }: SetParts): readonly string[] {
  return runnerSets.map((own) => setKey(own))
}
