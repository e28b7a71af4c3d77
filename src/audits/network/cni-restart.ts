import type { EventFacts } from '#/core/kubernetes/event-facts.ts'
import type { PodRecord } from '#/core/kubernetes/pod-record.ts'
import { printTime } from '#/core/basics/print-time.ts'
import { conditionAs } from '#/core/kubernetes/pod-facts.ts'
import { isBoot, restartEvents, restartSigns } from './restarts.ts'
import type { Scene } from './scene.ts'
import type { Sign } from './sign.ts'
import { eventSign, isEventIn, isIn } from './sign.ts'

/** Signs that a node's network plugin was down within the window. */
export type CniSigns = { readonly pod: PodRecord | null; readonly signs: readonly Sign[] }

export function cniSigns(name: string, scene: Scene): CniSigns {
  const { window, fleet } = scene
  const node = scene.nodeAt(name)
  const plugins = (scene.system.get('cni') ?? []).filter((pod) => pod.node === name)
  const ofPods = plugins.map((pod) => ({
    pod,
    signs: [...restartSigns(pod, window), ...restartEvents(scene.eventsOf(pod), window), ...replacedSigns(pod, scene)],
  }))
  const events = scene.eventsOn(name).filter((event) => isNetworkGone(event) && isEventIn(event, window))
  const signs = [
    ...ofPods.flatMap((own) => own.signs),
    ...conditionSigns(name, scene),
    ...events.map((event) => eventSign(event, window)),
  ].filter(({ at }) => !isBoot(at, node, fleet))
  return { pod: ofPods.find((own) => own.signs.length > 0)?.pod ?? null, signs }
}

/** A rollout of the plugin deletes its pod and creates another. */
function replacedSigns({ namespace, name, createdAt }: PodRecord, { window }: Scene): readonly Sign[] {
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
function conditionSigns(name: string, scene: Scene): readonly Sign[] {
  const node = scene.nodeAt(name)
  const down = conditionAs(node, 'NetworkUnavailable', 'True')
  if (down !== null) {
    const since = down.since ?? scene.window.from
    const words = [down.reason, down.message].filter((word) => word !== null).join(': ')
    return since <= scene.window.to
      ? [{ at: since, text: `NetworkUnavailable is True since ${printTime(since)}: ${words}` }]
      : []
  }
  const back = conditionAs(node, 'NetworkUnavailable', 'False')?.since ?? null
  return isIn(back, scene.window)
    ? [{ at: back, text: `NetworkUnavailable is False only since ${printTime(back)}` }]
    : []
}
