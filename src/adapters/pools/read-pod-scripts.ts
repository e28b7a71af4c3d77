import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PodScripts } from '#/core/pools/pod-settings.ts'

/** What runs in a runner pod, from the folder of this package. */
export function readPodScripts(packageFolder: string): PodScripts {
  const read = (name: string): string => readFileSync(join(packageFolder, 'deploy', 'runner', name), 'utf8')
  return { poller: read('poller.sh'), runner: read('run-job.sh'), vitals: read('vitals.sh') }
}
