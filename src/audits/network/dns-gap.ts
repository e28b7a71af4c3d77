import type { PodRecord } from '#/core/kubernetes/pod-record.ts'
import { isBoot, restartEvents, restartSigns } from './restarts.ts'
import { isDnsLine, logSigns } from './log-signs.ts'
import type { Scene } from './scene.ts'
import type { Sign } from './sign.ts'

export type DnsSigns = { readonly pod: PodRecord | null; readonly signs: readonly Sign[] }

/** Signs of the cluster DNS within the window. Of a DaemonSet only the pod on the runner's node counts. */
export function dnsSigns(scene: Scene): DnsSigns {
  const { window, asked, fleet } = scene
  const servers = (scene.system.get('dns') ?? []).filter(
    ({ ownerKinds, node }) => ownerKinds[0]?.kind !== 'DaemonSet' || asked.nodes.includes(node ?? ''),
  )
  const ofPods = servers.map((pod) => ({
    pod,
    signs: [...restartSigns(pod, window), ...restartEvents(scene.eventsOf(pod), window)].filter(
      ({ at }) => !isBoot(at, scene.nodeAt(pod.node ?? ''), fleet),
    ),
  }))
  return {
    pod: ofPods.find((own) => own.signs.length > 0)?.pod ?? null,
    signs: [...ofPods.flatMap((own) => own.signs), ...logSigns(scene, isDnsLine)],
  }
}
