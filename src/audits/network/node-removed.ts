import { timeAt } from '#/core/basics/fields.ts'
import { printTaint } from '#/core/kubernetes/placement.ts'
import { printTime } from '#/core/basics/print-time.ts'
import { findDisruption, isLeavingTaint } from './disruption.ts'
import { eventsMissed } from './unseen.ts'
import type { NetworkView } from './view.ts'
import type { Sign } from './sign.ts'
import { eventSign, isEventIn, isIn } from './sign.ts'

/** Events of the node controller, the autoscalers and spot interruption handlers. */
const EVENTS =
  /^(?:RemovingNode|DeletingNode|DeletingAllPods|ScaleDown|ScaleDownEmpty|CordonAndDrain|FailedDraining|Disrupted|DisruptionTerminating|TerminatingOnInterruption|SpotInterrupted|SpotInterruption|InstanceTerminating|InstanceStopping|ASGLifecycle|PreemptScheduled|TerminateScheduled|NodeShutdown)$/

/** Signs that the node was removed or drained while the runner was on it. */
export function removalSigns(name: string, view: NetworkView): readonly Sign[] {
  const { window, asked } = view
  const events = view.nodeEvents(name).filter(({ kind, reason }) => kind === 'Node' && EVENTS.test(reason))
  const disruption = findDisruption(view)
  const wentLater = events.some(({ firstAt }) => (firstAt ?? 0) > window.to)
  return [
    ...(isGone(name, view) && !wentLater
      ? [{ at: asked.end, text: `node ${name} is no longer in the node list` }]
      : []),
    ...(disruption?.kind === 'removal' ? [disruption] : []),
    ...deletionSigns(name, view),
    ...events.filter((event) => isEventIn(event, window)).map((event) => eventSign(event, window)),
  ]
}

/** A missing node may have been removed long after the window: only events that cover the window can rule that out. */
function isGone(name: string, view: NetworkView): boolean {
  const { fleet } = view
  if (!fleet.saw('kubernetes/nodes') || view.nodeAt(name) !== null) return false
  return !fleet.saw('kubernetes/events') || eventsMissed(view) === null
}

function deletionSigns(name: string, { nodeAt, window }: NetworkView): readonly Sign[] {
  const node = nodeAt(name)
  if (node === null) return []
  const deleted = timeAt(node.raw, 'metadata', 'deletionTimestamp')
  const taint = node.taints.find(isLeavingTaint)
  return [
    ...(isIn(deleted, window)
      ? [{ at: deleted, text: `node ${name} has been terminating since ${printTime(deleted)}` }]
      : []),
    ...(taint === undefined ? [] : [{ at: window.to, text: `node ${name} has the taint ${printTaint(taint)}` }]),
  ]
}
