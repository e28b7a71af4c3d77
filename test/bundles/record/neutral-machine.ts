import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { homedir, hostname } from 'node:os'
import path from 'node:path'
import { runOrThrow } from '#test/cluster/command.ts'
import { readClusterEnvironment } from '#test/cluster/environment.ts'
import { provideBinaries } from '#test/cluster/kubernetes-binaries.ts'
import { readMounts } from '#test/cluster/mounts.ts'

/**
 * A bundle is committed as `collect` wrote it, and a journal names the host, its programs and their folders. So the
 * cluster runs in its own namespaces, in which the machine has neutral names and paths.
 */
export const NODE = 'runner-node-1'
const MACHINE_ID = '5f0c2b7e91d84a6fb3a1c0de4e7f9a21'
/** For the cluster's own folder, in place of a temporary one. */
const STATE_FOLDER = '/var/lib'
const CACHE_HOME = '/var/cache'

/** What no bundle may contain. */
export type OutsideNames = { readonly hostname: string; readonly home: string; readonly cacheFolder: string }

/** Runs this script again, inside; returns its exit code. */
export async function runInside(script: string, args: readonly string[]): Promise<number> {
  const environment = readClusterEnvironment()
  const { cacheFolder, inherited } = environment
  // Outside, where a compiler finds its caches.
  await provideBinaries(environment)
  const outside: OutsideNames = { hostname: hostname(), home: homedir(), cacheFolder }
  const entering = ['unshare', '--uts', '--mount', '--propagation', 'private', '--', process.execPath, script]
  const [program = '', ...rest] = [...entering, '--inside', JSON.stringify(outside), ...args]
  const child = spawn(program, rest, {
    env: { ...inherited, TMPDIR: STATE_FOLDER, XDG_CACHE_HOME: CACHE_HOME, HOME: '/' },
    stdio: 'inherit',
  })
  // Ctrl-C reaches the child too, which cleans up; we only wait for it.
  process.on('SIGINT', () => undefined)
  const [code] = (await once(child, 'exit')) as [number | null]
  return code ?? 1
}

/** Gives the machine neutral names, visible only to this process and its children. */
export async function dressMachine({ cacheFolder }: OutsideNames): Promise<void> {
  await runOrThrow('hostname', [NODE])
  await hideMounts([import.meta.dirname, cacheFolder, process.execPath, STATE_FOLDER, '/usr', '/etc', '/tmp'])
  await runOrThrow('mount', ['-t', 'tmpfs', 'tmpfs', CACHE_HOME])
  const [cache, machineId] = [path.join(CACHE_HOME, 'signalbox'), path.join(CACHE_HOME, 'machine-id')]
  await mkdir(cache)
  await runOrThrow('mount', ['--bind', cacheFolder, cache])
  await writeFile(machineId, `${MACHINE_ID}\n`)
  await runOrThrow('mount', ['--bind', machineId, '/etc/machine-id'])
}

/** `df` lists what is mounted. What the cluster does not need is not mounted in here. */
async function hideMounts(needed: readonly string[]): Promise<void> {
  const isSystem = (point: string): boolean => /^\/(?:$|(?:proc|sys|dev|run)(?:\/|$))/.test(point)
  const isNeeded = (point: string): boolean =>
    needed.some((folder) => folder === point || folder.startsWith(`${point}/`) || point.startsWith(`${folder}/`))
  const points = readMounts().map(({ point }) => point)
  for (const point of points.toReversed()) {
    if (!isSystem(point) && !isNeeded(point)) await runOrThrow('umount', ['--lazy', point])
  }
}
