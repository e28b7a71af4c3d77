import { homedir } from 'node:os'
import { join } from 'node:path'

/** What the harness reads from the environment. This is the only file of the folder that reads it. */
export interface ClusterEnvironment {
  /** Built binaries and lock files, outside the checkout, so that a clean clone reuses them. */
  readonly cacheFolder: string
  /** envtest's folder of kube-apiserver, etcd and kubectl. */
  readonly kubebuilderAssets: string | undefined
  /** Set by .ci/run: a suite that would be skipped fails instead. */
  readonly fullTestsRequired: boolean
  /** Which of the test processes that run at once this is, from 0 on; 7 for the process that started them. */
  readonly worker: number
  /** The folders that are searched for commands, in order. */
  readonly searchPath: readonly string[]
  /** What child processes are given. */
  readonly inherited: Readonly<NodeJS.ProcessEnv>
}

/** Debian keeps `containerd-shim` and friends in the system folders, which an ordinary user's PATH may lack. */
const SYSTEM_FOLDERS = ['/usr/local/sbin', '/usr/sbin', '/sbin', '/usr/local/bin', '/usr/bin', '/bin']

export function parseClusterEnvironment(variables: Readonly<NodeJS.ProcessEnv>, home: string): ClusterEnvironment {
  const cacheHome = variables['XDG_CACHE_HOME'] || join(home, '.cache')
  const folders = (variables['PATH'] ?? '').split(':').filter((folder) => folder !== '')
  const searchPath = [...new Set([...folders, ...SYSTEM_FOLDERS])]
  return {
    cacheFolder: join(cacheHome, 'signalbox'),
    kubebuilderAssets: variables['KUBEBUILDER_ASSETS'] || undefined,
    fullTestsRequired: variables['SIGNALBOX_REQUIRE_FULL_TESTS'] === '1',
    worker: Math.max(0, Number(variables['VITEST_POOL_ID'] ?? 8) - 1),
    searchPath,
    inherited: { ...variables, PATH: searchPath.join(':') },
  }
}

export function readClusterEnvironment(): ClusterEnvironment {
  return parseClusterEnvironment(process.env, homedir())
}
