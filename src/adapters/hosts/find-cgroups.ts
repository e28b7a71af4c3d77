import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { CgroupCopy, PodOnHost } from '#/ports/this-host.ts'

/** The counters that a bundle carries; each machine has those of its version of cgroups. */
const FILES = [
  'memory.events',
  'memory.peak',
  'memory.max',
  'memory.current',
  'memory.pressure',
  'memory.failcnt',
  'memory.max_usage_in_bytes',
  'memory.usage_in_bytes',
  'memory.limit_in_bytes',
  'memory.oom_control',
  'pids.max',
  'pids.current',
  'pids.events',
]

/** Deep enough for a node that is itself a container. */
const DEEPEST = 10
const MOST_FOLDERS = 20_000

/** The counters of a pod and of its containers, from every hierarchy under the root. */
export async function findCgroups(root: string, pod: PodOnHost, signal: AbortSignal): Promise<readonly CgroupCopy[]> {
  return readCgroups((await locateCgroups(root, [pod], signal)).get(pod.uid) ?? [])
}

/** A folder of one pod, or of one of its containers. */
export type CgroupFolder = { readonly container: string | null; readonly folder: string }

/** Where the cgroups of these pods are, by their UIDs, found in one walk. */
export async function locateCgroups(
  root: string,
  pods: readonly PodOnHost[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, readonly CgroupFolder[]>> {
  const found = new Map<string, CgroupFolder[]>()
  for (const hierarchy of await listHierarchies(root)) {
    for await (const { pod, folder } of foldersOfPods(hierarchy, pods, signal)) {
      const own = found.get(pod.uid) ?? []
      found.set(pod.uid, own)
      own.push({ container: null, folder })
      for (const child of await listChildren(folder)) {
        const container = pod.containers.find(({ id }) => child.includes(id))
        if (container !== undefined) own.push({ container: container.name, folder: join(folder, child) })
      }
    }
  }
  return found
}

/** The counters that a folder has, by their paths. */
export async function countersIn(folder: string): Promise<readonly { readonly name: string; readonly path: string }[]> {
  const present = new Set(await readdir(folder).catch(() => []))
  return FILES.filter((name) => present.has(name)).map((name) => ({ name, path: join(folder, name) }))
}

export async function readCgroups(folders: readonly CgroupFolder[]): Promise<readonly CgroupCopy[]> {
  const found = new Map<string | null, Map<string, string>>()
  for (const { container, folder } of folders) await take(found, container, folder)
  return [...found].map(([container, files]) => ({ container, files })).filter(({ files }) => files.size > 0)
}

/** Version 1 has a hierarchy for each controller; version 2 has one for all. */
async function listHierarchies(root: string): Promise<readonly string[]> {
  return (await isThere(join(root, 'cgroup.controllers'))) ? [root] : [join(root, 'memory'), join(root, 'pids')]
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}

/** The folder's name has the UID, with dashes or, by systemd's driver, with underscores. */
async function* foldersOfPods(
  hierarchy: string,
  pods: readonly PodOnHost[],
  signal: AbortSignal,
): AsyncGenerator<{ readonly pod: PodOnHost; readonly folder: string }> {
  const marks = pods.map((pod) => ({ pod, own: [`pod${pod.uid}`, `pod${pod.uid.replaceAll('-', '_')}`] }))
  let folders: readonly string[] = [hierarchy]
  let looked = 0
  for (let depth = 0; depth < DEEPEST && folders.length > 0 && looked < MOST_FOLDERS; depth += 1) {
    const next: string[] = []
    for (const folder of folders) {
      signal.throwIfAborted()
      looked += 1
      for (const name of await listChildren(folder)) {
        const found = marks.find(({ own }) => own.some((mark) => name.includes(mark)))
        if (found !== undefined) yield { pod: found.pod, folder: join(folder, name) }
        else if (!isAnotherPod(name)) next.push(join(folder, name))
      }
    }
    folders = next
  }
}

function isAnotherPod(name: string): boolean {
  return /pod[0-9a-f]{8}[-_]?[0-9a-f]{4}/.test(name)
}

/** A cgroup may vanish at any moment, and with it what is asked of it. */
async function listChildren(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
}

async function take(
  found: Map<string | null, Map<string, string>>,
  container: string | null,
  folder: string,
): Promise<void> {
  const files = found.get(container) ?? new Map<string, string>()
  for (const name of FILES) {
    const text = await readFile(join(folder, name), 'utf8').catch(() => null)
    if (text !== null) files.set(name, text)
  }
  found.set(container, files)
}
