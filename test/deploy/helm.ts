import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { CommandOutcome } from '#test/cluster/command.ts'
import { findExecutable, isExecutable, progress, run, runOrThrow } from '#test/cluster/command.ts'
import { readClusterEnvironment } from '#test/cluster/environment.ts'
import { withFileLock } from '#test/cluster/file-lock.ts'

const HELM_VERSION = 'v4.3.1'
export const CHART = resolve(import.meta.dirname, '..', '..', 'deploy', 'chart')

function helmFolder(): string {
  return join(readClusterEnvironment().cacheFolder, 'helm', HELM_VERSION)
}

/** One line about what is missing, or null. */
export function missingForHelm(): string | null {
  if (isExecutable(join(helmFolder(), 'helm'))) return null
  const go = findExecutable('go', readClusterEnvironment().searchPath)
  return go === undefined ? `install Go, to build helm ${HELM_VERSION}` : null
}

/** Builds helm from the Go module proxy, once for all processes; returns its path. */
export async function provideHelm(): Promise<string> {
  const folder = helmFolder()
  const helm = join(folder, 'helm')
  const lock = {
    lockFile: `${folder}.lock`,
    onWait: () => progress('another process is building helm; waiting for it'),
  }
  await withFileLock(lock, async () => {
    if (!isExecutable(helm)) await build(folder)
  })
  return helm
}

async function build(folder: string): Promise<void> {
  progress(`building helm ${HELM_VERSION} from the Go module proxy (about four minutes, once) ...`)
  await mkdir(folder, { recursive: true })
  const scratch = await mkdtemp(`${folder}-building-`)
  try {
    const args = [
      'install',
      '-trimpath',
      '-buildvcs=false',
      '-ldflags=-s -w',
      `helm.sh/helm/v4/cmd/helm@${HELM_VERSION}`,
    ]
    await runOrThrow('go', args, { environment: { GOBIN: scratch, CGO_ENABLED: '0', GOFLAGS: '', GOWORK: 'off' } })
    await rename(join(scratch, 'helm'), join(folder, 'helm'))
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

/** Without the user's own plugins, repositories and caches. */
export async function runHelm(args: readonly string[], folder: string, kubeconfig = ''): Promise<CommandOutcome> {
  const own = (name: string): string => join(folder, 'helm', name)
  return await run(await provideHelm(), args, {
    environment: {
      HELM_CACHE_HOME: own('cache'),
      HELM_CONFIG_HOME: own('config'),
      HELM_DATA_HOME: own('data'),
      KUBECONFIG: kubeconfig,
    },
  })
}
