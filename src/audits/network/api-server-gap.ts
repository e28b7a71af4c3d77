import { auditLogSigns } from './audit-log-gap.ts'
import { leaseSigns } from './lease-signs.ts'
import { isApiServerLine, logSigns } from './log-signs.ts'
import { isBoot, restartEvents, restartSigns } from './restarts.ts'
import type { NetworkView } from './view.ts'
import type { Sign } from './sign.ts'

/** Signs that the API server was not reachable within the window. */
export function apiServerSigns(view: NetworkView): readonly Sign[] {
  const { window, fleet } = view
  const servers = (view.system.get('api-server') ?? []).flatMap((pod) =>
    [...restartSigns(pod, window), ...restartEvents(view.podEvents(pod), window)].filter(
      ({ at }) => !isBoot(at, view.nodeAt(pod.node ?? ''), fleet),
    ),
  )
  return [...servers, ...leaseSigns(view), ...logSigns(view, isApiServerLine), ...auditLogSigns(view)]
}
