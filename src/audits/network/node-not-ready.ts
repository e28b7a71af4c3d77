import { listAt, textAt, timeAt } from '#/core/basics/fields.ts'
import type { NodeRecord } from '#/core/kubernetes/node-record.ts'
import { printTime } from '#/core/basics/print-time.ts'
import type { NetworkView } from './view.ts'
import { isBoot } from './restarts.ts'
import type { Sign } from './sign.ts'
import { eventSign, isEventIn, isIn } from './sign.ts'

const EVENTS = new Set(['NodeNotReady', 'NodeReady', 'Rebooted'])

/** Signs that this node was not ready within the window. */
export function notReadySigns(name: string, view: NetworkView): readonly Sign[] {
  const { fleet, window } = view
  const node = view.nodeAt(name)
  const events = view.nodeEvents(name).filter((event) => EVENTS.has(event.reason) && isEventIn(event, window))
  return [
    ...(node === null ? [] : [...conditionSigns(node, view), ...taintSigns(node, view)]),
    ...events
      .filter((event) => event.reason !== 'NodeReady' || !isBoot(event.lastAt ?? 0, node, fleet))
      .map((event) => eventSign(event, window)),
  ]
}

function conditionSigns(node: NodeRecord, { window, fleet }: NetworkView): readonly Sign[] {
  const ready = node.conditions.find(({ type }) => type === 'Ready')
  if (ready === undefined) return []
  const since = ready.since ?? window.from
  if (ready.status !== 'True') {
    const detail = [ready.reason, ready.message].filter((word) => word !== null).join(': ')
    return since <= window.to
      ? [{ at: since, text: `Ready is ${ready.status} since ${printTime(since)}: ${detail}` }]
      : []
  }
  return isIn(ready.since, window) && !isBoot(ready.since, node, fleet)
    ? [{ at: ready.since, text: `it is Ready only since ${printTime(ready.since)}` }]
    : []
}

const TAINTS = new Set(['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'])

/** The taint has the time at which the control plane gave up the node. */
function taintSigns({ raw }: NodeRecord, { window }: NetworkView): readonly Sign[] {
  return listAt(raw, 'spec', 'taints').flatMap((taint) => {
    const key = textAt(taint, 'key') ?? ''
    const added = timeAt(taint, 'timeAdded')
    return TAINTS.has(key) && isIn(added, window)
      ? [{ at: added, text: `the taint ${key} was set at ${printTime(added)}` }]
      : []
  })
}
