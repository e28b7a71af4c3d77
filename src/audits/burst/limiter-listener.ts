import { printAge } from '#/core/basics/age.ts'
import { isDown } from '#/core/fleet/listener-state.ts'
import type { ListenerState } from '#/core/fleet/listener-state.ts'
import type { ScaleSet } from '#/core/fleet/scale-set.ts'
import type { LaneView } from './view.ts'
import type { Limit, Limiter } from './limiter.ts'

export type DownListener = { readonly set: ScaleSet; readonly state: ListenerState }

/** Without its listener a set gets no jobs and creates no runners, no matter how much room there is. */
export const listener: Limiter = (view) => listenerLimit(view, downListeners(view, view.sets))

export function listenerLimit(view: LaneView, down: readonly DownListener[]): Limit | null {
  const [first, ...others] = down
  return first === undefined ? null : toLimit(first, others, view)
}

export function downListeners({ burst }: LaneView, sets: readonly ScaleSet[]): readonly DownListener[] {
  return sets.flatMap((set) => {
    const state = burst.findListener(set)
    return state !== null && isDown(state) ? [{ set, state }] : []
  })
}

function toLimit(first: DownListener, others: readonly DownListener[], view: LaneView): Limit {
  const { set, state } = first
  return {
    class: 'listener-unhealthy',
    admits: 0,
    evidence: [
      `the listener of ${set.namespace}/${set.name} is down: ${state.condition}`,
      ...state.evidence,
      ...others.map(
        (one) => `the listener of ${one.set.namespace}/${one.set.name} is down too: ${one.state.condition}`,
      ),
      ...(set.phase === 'Outdated' ? [`${set.name} is parked: its phase is Outdated`] : []),
      ...describeLastError(first, view),
    ],
    hint: hintFor(first),
    fields: { listener: state.listener?.name ?? null, condition: state.condition },
  }
}

/** Only the listener's last log line has the reason why it ended. */
function describeLastError({ state }: DownListener, { fleet }: LaneView): readonly string[] {
  const { logs } = fleet.snapshot
  if (logs.kind !== 'seen' || state.listener === null) return []
  const { name, namespace } = state.listener
  const lines = logs.value
    .filter((log) => log.pod === name && log.namespace === namespace)
    .flatMap((log) => log.lines.filter(({ text }) => text.includes('Application returned an error')))
  const last = lines.toSorted((a, b) => (a.at ?? 0) - (b.at ?? 0)).at(-1)
  return last === undefined ? [] : [`its last error, ${printAge(last.at, fleet.now)} ago: ${last.text.slice(0, 300)}`]
}

function hintFor({ set, state }: DownListener): string {
  const { listener: object, condition } = state
  const place = object === null ? set : object
  switch (condition) {
    case 'missing':
      return set.phase === 'Outdated'
        ? `GitHub refuses the runner's version: change the runner image of ${set.name} in source; signalbox audit runtime`
        : `signalbox preflight ${set.namespace}/${set.name}: it shows whether a rollover is running or stuck; capacity does not matter until the listener exists`
    case 'no-pod':
    case 'stopped':
      return `kubectl get deployments -A -l app.kubernetes.io/part-of=gha-rs-controller: the controller creates the listener's pod; then signalbox audit runtime`
    case 'image-trouble':
      return `kubectl describe pod -n ${place.namespace} ${place.name}; signalbox audit pull-secrets: the listener uses the copy of the pull secret in ${place.namespace}`
    case 'silent':
      return `kubectl logs -n ${place.namespace} ${place.name} --tail=20; if it still logs nothing, kubectl delete pod -n ${place.namespace} ${place.name} (running jobs are not affected, the controller re-creates it)`
    default:
      return `kubectl logs -n ${place.namespace} ${place.name}; signalbox audit auth: the problem is its access to GitHub or its image, not capacity`
  }
}
