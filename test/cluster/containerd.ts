import { mkdir, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BackgroundProcess } from './background-process.ts'
import { startProcess, untilServing } from './background-process.ts'
import { PAUSE_IMAGE, makeImageArchive } from './busybox-image.ts'
import { findExecutable, run, runOrThrow } from './command.ts'
import { readClusterEnvironment } from './environment.ts'
import type { Guard } from './guard.ts'

const START_TIMEOUT_MS = 120_000
/** Where Debian has the plugins, if they are installed at all: pods of the tests use the host's network. */
const CNI_PLUGINS = '/usr/lib/cni'

/** From the kernel's header (OVERLAYFS_SUPER_MAGIC). */
const OVERLAY_MAGIC = 0x794c7630

export function containerdSocket(folder: string): string {
  return join(folder, 'containerd', 'containerd.sock')
}

export type Snapshotter = 'overlayfs' | 'native'

/** In a container the folder may itself be on an overlay, which cannot hold the layers of another. */
async function chooseSnapshotter(folder: string): Promise<Snapshotter> {
  const { type } = await statfs(folder)
  return type === OVERLAY_MAGIC ? 'native' : 'overlayfs'
}

/** Version 2 of the format, which containerd 1.5 to 2.x read. */
export function renderContainerdConfig(folder: string, snapshotter: Snapshotter): string {
  const own = join(folder, 'containerd')
  return `version = 2
root = "${join(own, 'root')}"
state = "${join(own, 'state')}"
temp = "${join(own, 'temp')}"
[grpc]
  address = "${containerdSocket(folder)}"
[plugins."io.containerd.internal.v1.opt"]
  path = "${join(own, 'opt')}"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${PAUSE_IMAGE}"
  # Without the right to lower a score (CAP_SYS_RESOURCE) no sandbox would start.
  restrict_oom_score_adj = true
  # What is mounted below our own folder is found and unmounted at the end.
  netns_mounts_under_state_dir = true
  stream_server_address = "127.0.0.1"
[plugins."io.containerd.grpc.v1.cri".containerd]
  snapshotter = "${snapshotter}"
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
  runtime_type = "io.containerd.runc.v2"
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
  SystemdCgroup = false
  Root = "${join(own, 'runc')}"
[plugins."io.containerd.grpc.v1.cri".cni]
  bin_dir = "${CNI_PLUGINS}"
  conf_dir = "${join(own, 'cni')}"
`
}

/** The node is not ready without a network configuration; loopback is one. */
export function renderCniConfig(): string {
  return JSON.stringify({ cniVersion: '0.4.0', name: 'loopback', plugins: [{ type: 'loopback' }] })
}

export async function prepareContainerd(folder: string): Promise<void> {
  const own = join(folder, 'containerd')
  await mkdir(join(own, 'cni'), { recursive: true })
  await writeFile(join(own, 'config.toml'), renderContainerdConfig(folder, await chooseSnapshotter(folder)))
  await writeFile(join(own, 'cni', '10-loopback.conflist'), renderCniConfig())
}

export async function launchContainerd(guard: Guard): Promise<BackgroundProcess> {
  const program = findExecutable('containerd', readClusterEnvironment().searchPath) ?? 'containerd'
  const process = await startProcess(guard, {
    name: 'containerd',
    program,
    args: ['--config', join(guard.folder, 'containerd', 'config.toml')],
    logsTo: 'journal',
  })
  const socket = containerdSocket(guard.folder)
  await untilServing(process, START_TIMEOUT_MS, async () => {
    const plugins = await run('ctr', ['--address', socket, 'plugins', 'ls'])
    return plugins.code === 0 && /cri\s.*\sok/u.test(plugins.stdout)
  })
  return process
}

export async function importImages(guard: Guard): Promise<void> {
  const archive = await makeImageArchive(join(guard.folder, 'images'))
  await runOrThrow('ctr', [
    '--address',
    containerdSocket(guard.folder),
    '-n',
    'k8s.io',
    'images',
    'import',
    '--no-unpack',
    archive,
  ])
}
