import type { PodRecord } from '#/core/kubernetes/pod-record.ts'
import { isBoot, restartEvents, restartSigns } from './restarts.ts'
import { isDnsLine, logSigns } from './log-signs.ts'
import type { NetworkView } from './view.ts'
import type { Sign } from './sign.ts'

export type DnsSigns = { readonly pod: PodRecord | null; readonly signs: readonly Sign[] }

/** Signs of the cluster DNS within the window. Of a DaemonSet only the pod on the runner's node counts. */
export function dnsSigns(view: NetworkView): DnsSigns {
  const { window, asked, fleet } = view
  const servers = (view.system.get('dns') ?? []).filter(
    ({ ownerKinds, node }) => ownerKinds[0]?.kind !== 'DaemonSet' || asked.nodes.includes(node ?? ''),
  )
  const podSigns = servers.map((pod) => ({
    pod,
    signs: [...restartSigns(pod, window), ...restartEvents(view.podEvents(pod), window)].filter(
      ({ at }) => !isBoot(at, view.nodeAt(pod.node ?? ''), fleet),
    ),
  }))
  return {
    pod: podSigns.find((own) => own.signs.length > 0)?.pod ?? null,
    signs: [...podSigns.flatMap((own) => own.signs), ...logSigns(view, isDnsLine)],
  }
}
