import { auditSigns } from './audit-gap.ts'
import { leaseSigns } from './lease-signs.ts'
import { isApiServerLine, logSigns } from './log-signs.ts'
import { isBoot, restartEvents, restartSigns } from './restarts.ts'
import type { Scene } from './scene.ts'
import type { Sign } from './sign.ts'

/** Signs that the API server was not reachable within the window. */
export function apiServerSigns(scene: Scene): readonly Sign[] {
  const { window, fleet } = scene
  const servers = (scene.system.get('api-server') ?? []).flatMap((pod) =>
    [...restartSigns(pod, window), ...restartEvents(scene.eventsOf(pod), window)].filter(
      ({ at }) => !isBoot(at, scene.nodeAt(pod.node ?? ''), fleet),
    ),
  )
  return [...servers, ...leaseSigns(scene), ...logSigns(scene, isApiServerLine), ...auditSigns(scene)]
}
