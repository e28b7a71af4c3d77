import type { EventFacts } from '#/core/kubernetes/event-facts.ts'
import type { PodRecord } from '#/core/kubernetes/pod-record.ts'
import { printTime } from '#/core/basics/print-time.ts'
import { conditionAs } from '#/core/kubernetes/pod-facts.ts'
import { isBoot, restartEvents, restartSigns } from './restarts.ts'
import type { NetworkView } from './view.ts'
import type { Sign } from './sign.ts'
import { eventSign, isEventIn, isIn } from './sign.ts'

/** Signs that a node's network plugin was down within the window. */
export type CniSigns = { readonly pod: PodRecord | null; readonly signs: readonly Sign[] }

export function cniSigns(name: string, view: NetworkView): CniSigns {
  const { window, fleet } = view
  const node = view.nodeAt(name)
  const plugins = (view.system.get('cni') ?? []).filter((pod) => pod.node === name)
  const podSigns = plugins.map((pod) => ({
    pod,
    signs: [...restartSigns(pod, window), ...restartEvents(view.podEvents(pod), window), ...replacedSigns(pod, view)],
  }))
  const events = view.nodeEvents(name).filter((event) => isNetworkGone(event) && isEventIn(event, window))
  const signs = [
    ...podSigns.flatMap((own) => own.signs),
    ...conditionSigns(name, view),
    ...events.map((event) => eventSign(event, window)),
  ].filter(({ at }) => !isBoot(at, node, fleet))
  return { pod: podSigns.find((own) => own.signs.length > 0)?.pod ?? null, signs }
}

/** A rollout of the plugin deletes its pod and creates another. */
function replacedSigns({ namespace, name, createdAt }: PodRecord, { window }: NetworkView): readonly Sign[] {
  return isIn(createdAt, window)
    ? [{ at: createdAt, text: `${namespace}/${name} was created at ${printTime(createdAt)} and replaced another pod` }]
    : []
}

function isNetworkGone({ reason, message }: EventFacts): boolean {
  if (reason === 'NetworkNotReady') return true
  return (
    reason === 'FailedCreatePodSandBox' &&
    /cni/i.test(message) &&
    /not initialized|connection refused|no such file/i.test(message)
  )
}

/** Some plugins set this condition when they go down and come back. */
function conditionSigns(name: string, view: NetworkView): readonly Sign[] {
  const node = view.nodeAt(name)
  const down = conditionAs(node, 'NetworkUnavailable', 'True')
  if (down !== null) {
    const since = down.since ?? view.window.from
    const detail = [down.reason, down.message].filter((word) => word !== null).join(': ')
    return since <= view.window.to
      ? [{ at: since, text: `NetworkUnavailable is True since ${printTime(since)}: ${detail}` }]
      : []
  }
  const back = conditionAs(node, 'NetworkUnavailable', 'False')?.since ?? null
  return isIn(back, view.window)
    ? [{ at: back, text: `NetworkUnavailable is False only since ${printTime(back)}` }]
    : []
}
