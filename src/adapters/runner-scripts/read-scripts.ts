import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ownPackage } from '#/adapters/files/own-package.ts'
import type { PodScripts } from '#/core/pools/pod-settings.ts'

/** The scripts that our pods run, as they are in this package. */
export async function readRunnerScripts(): Promise<PodScripts> {
  const folder = join(ownPackage().folder, 'deploy', 'runner')
  const read = (name: string): Promise<string> => readFile(join(folder, name), 'utf8')
  const [poller, runner, vitals] = await Promise.all([read('poller.sh'), read('run-job.sh'), read('vitals.sh')])
  return { poller, runner, vitals }
}
