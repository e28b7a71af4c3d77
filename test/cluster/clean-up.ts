import { readFile, readdir, readlink, rm, rmdir, unlink } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Belonging } from './belongings.ts'
import { cgroupRoot, processesIn, removeCgroups } from './cgroup.ts'
import { run } from './command.ts'
import { mountsBelow } from './mounts.ts'
import { NODE_ADDRESS, removeNodeAddress } from './node-address.ts'
import type { ProcessIdentity } from './process-identity.ts'
import { identify, isAlive, listProcesses, sendSignal } from './process-identity.ts'

const ROUNDS = 600
const BETWEEN_ROUNDS_MS = 50
/** How many rounds a process has after SIGTERM before it is killed. */
const POLITE_ROUNDS = 20

/** A program that mentions our folder is ours only if it is one of these, and not somebody's editor or shell. */
const OUR_PROGRAMS: ReadonlySet<string> = new Set([
  'etcd',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kubelet',
  'containerd',
  'containerd-shim-runc-v2',
  'runc',
  'systemd-cat',
])

type Kind = Belonging['kind']
type OfKind<K extends Kind> = Extract<Belonging, { kind: K }>

/** Ends and removes everything, users before what they use; returns what is left. */
export async function cleanUp(belongings: readonly Belonging[]): Promise<readonly string[]> {
  const alive = await endProcesses(belongings)
  const folders = ofKind(belongings, 'folder').map((folder) => folder.path)
  const outside: string[] = []
  for (const folder of folders) outside.push(...(await traces(folder)))
  for (const folder of folders) await unmountBelow(folder)
  const groups = await removeAllCgroups(belongings)
  await Promise.all(outside.map((path) => unlink(path).catch(() => undefined)))
  for (const { path } of ofKind(belongings, 'outside-path')) await rm(path, { recursive: true, force: true })
  for (const { path } of ofKind(belongings, 'links-in')) await removeLinks(path, folders)
  for (const { path } of ofKind(belongings, 'shared-folder')) {
    await removeLinks(path, folders)
    await removeEmptyFolders(path)
  }
  const hasAddress = ofKind(belongings, 'address').length > 0 && !(await removeNodeAddress())
  const mounted = folders.flatMap((folder) => mountsBelow(folder))
  // Removing files through a mount that is still there would delete what is mounted.
  if (mounted.length === 0) await Promise.all(folders.map((path) => rm(path, { recursive: true, force: true })))
  return [
    ...alive.map((identity) => `process ${identity.pid}`),
    ...mounted.map((point) => `mount ${point}`),
    ...groups.map((group) => `cgroup ${group}`),
    ...(hasAddress ? [`address ${NODE_ADDRESS}`] : []),
  ]
}

function ofKind<K extends Kind>(belongings: readonly Belonging[], kind: K): readonly OfKind<K>[] {
  return belongings.filter((belonging): belonging is OfKind<K> => belonging.kind === kind)
}

/** In rounds, because a shim or a container may start while its parent is being killed. */
async function endProcesses(belongings: readonly Belonging[]): Promise<readonly ProcessIdentity[]> {
  const recorded = ofKind(belongings, 'process')
  const polite = recorded.filter((process) => process.ending === 'SIGTERM').map((process) => process.identity)
  const hard = recorded.filter((process) => process.ending === 'SIGKILL').map((process) => process.identity)
  let alive: readonly ProcessIdentity[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const unrecorded = await findUnrecorded(belongings)
    alive = [...hard, ...polite, ...unrecorded].filter(isAlive)
    if (alive.length === 0) return []
    for (const identity of [...hard, ...unrecorded]) sendSignal(identity, 'SIGKILL')
    // The journal ends last, so that it has what the others logged.
    const othersGone = [...hard, ...unrecorded].every((identity) => !isAlive(identity))
    if (othersGone) for (const identity of polite) sendSignal(identity, round < POLITE_ROUNDS ? 'SIGTERM' : 'SIGKILL')
    await sleep(BETWEEN_ROUNDS_MS)
  }
  return alive
}

/** Shims, containers, and what was started in the moment before the owner died. */
async function findUnrecorded(belongings: readonly Belonging[]): Promise<readonly ProcessIdentity[]> {
  const folders = ofKind(belongings, 'folder').map((folder) => folder.path)
  const named = listProcesses().filter(
    ({ commandLine: [program = '', ...args] }) =>
      OUR_PROGRAMS.has(basename(program)) && args.some((arg) => folders.some((folder) => arg.includes(folder))),
  )
  const roots = ofKind(belongings, 'cgroup').map((group) => cgroupRoot(group.name))
  const contained = (await Promise.all(roots.map(processesIn))).flat()
  return [...named.map((process) => process.pid), ...contained].map(identify)
}

async function unmountBelow(folder: string): Promise<void> {
  for (const point of mountsBelow(folder).toReversed()) {
    const outcome = await run('umount', [point])
    // A lazy unmount hides it at once and removes it when its last user ends.
    if (outcome.code !== 0) await run('umount', ['--lazy', point])
  }
}

async function removeAllCgroups(belongings: readonly Belonging[]): Promise<readonly string[]> {
  let left: readonly string[] = []
  const roots = ofKind(belongings, 'cgroup').map((group) => cgroupRoot(group.name))
  for (let round = 0; round < ROUNDS; round += 1) {
    left = (await Promise.all(roots.map(removeCgroups))).flat()
    if (left.length === 0) return []
    await sleep(BETWEEN_ROUNDS_MS)
  }
  return left
}

/** Sockets of shims: containerd fixes their folder, whatever its configuration says, and notes each in its bundle. */
async function traces(folder: string): Promise<readonly string[]> {
  const bundles = join(folder, 'containerd', 'state', 'io.containerd.runtime.v2.task', 'k8s.io')
  const ids = await readdir(bundles).catch(() => [])
  const notes = await Promise.all(ids.map((id) => readFile(join(bundles, id, 'address'), 'utf8').catch(() => '')))
  return notes.filter((note) => note.startsWith('unix://')).map((note) => note.trim().slice('unix://'.length))
}

async function removeLinks(path: string, ours: readonly string[]): Promise<void> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => [])
  for (const entry of entries) {
    const inner = join(path, entry.name)
    if (entry.isDirectory()) await removeLinks(inner, ours)
    if (!entry.isSymbolicLink()) continue
    const target = await readlink(inner).catch(() => '')
    if (ours.some((folder) => target.startsWith(folder))) await unlink(inner).catch(() => undefined)
  }
}

async function removeEmptyFolders(path: string): Promise<void> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => [])
  for (const entry of entries) if (entry.isDirectory()) await removeEmptyFolders(join(path, entry.name))
  await rmdir(path).catch(() => undefined)
}
