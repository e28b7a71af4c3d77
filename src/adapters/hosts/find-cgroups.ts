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
  const found = new Map<string | null, Map<string, string>>()
  for (const hierarchy of await hierarchiesOf(root)) {
    for await (const folder of foldersOfPod(hierarchy, pod.uid, signal)) {
      await take(found, null, folder)
      for (const child of await childrenOf(folder)) {
        const own = pod.containers.find(({ id }) => child.includes(id))
        if (own !== undefined) await take(found, own.name, join(folder, child))
      }
    }
  }
  return [...found].map(([container, files]) => ({ container, files })).filter(({ files }) => files.size > 0)
}

/** Version 1 has a hierarchy for each controller; version 2 has one for all. */
async function hierarchiesOf(root: string): Promise<readonly string[]> {
  return (await isThere(join(root, 'cgroup.controllers'))) ? [root] : [join(root, 'memory'), join(root, 'pids')]
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}

/** The folder's name has the UID, with dashes or, by systemd's driver, with underscores. */
async function* foldersOfPod(hierarchy: string, uid: string, signal: AbortSignal): AsyncGenerator<string> {
  const own = [`pod${uid}`, `pod${uid.replaceAll('-', '_')}`]
  let folders: readonly string[] = [hierarchy]
  let looked = 0
  for (let depth = 0; depth < DEEPEST && folders.length > 0 && looked < MOST_FOLDERS; depth += 1) {
    const next: string[] = []
    for (const folder of folders) {
      signal.throwIfAborted()
      looked += 1
      for (const name of await childrenOf(folder)) {
        if (own.some((mark) => name.includes(mark))) yield join(folder, name)
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
async function childrenOf(folder: string): Promise<readonly string[]> {
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
