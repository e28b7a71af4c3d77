import { readFileSync } from 'node:fs'
import { mkdir, readFile, readdir, rmdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Mount } from './mounts.ts'
import { readMounts } from './mounts.ts'

/** The control groups of one node: the same folder in every hierarchy that the machine has. */
export interface CgroupRoot {
  readonly version: 1 | 2
  /** As the kubelet expects it, for example `/signalbox-x1`. */
  readonly path: string
  readonly folders: readonly string[]
}

/** Those that the kubelet requires where the machine has them. */
const NEEDED_CONTROLLERS: ReadonlySet<string> = new Set(['cpu', 'cpuset', 'memory', 'hugetlb', 'pids'])

/** If any hierarchy of version 1 is mounted, it has the controllers and version 2 has none. */
export function planCgroups(mounts: readonly Mount[], name: string): CgroupRoot {
  const hierarchies = mounts.filter((mount) => mount.type === 'cgroup' || mount.type === 'cgroup2')
  return {
    version: hierarchies.some((mount) => mount.type === 'cgroup') ? 1 : 2,
    path: `/${name}`,
    folders: [...new Set(hierarchies.map((mount) => join(mount.point, name)))],
  }
}

export function cgroupRoot(name: string): CgroupRoot {
  return planCgroups(readMounts(), name)
}

export async function createCgroups(root: CgroupRoot): Promise<void> {
  for (const folder of root.folders) {
    if (root.version === 2) await passControllersOn(join(folder, '..'))
    await mkdir(folder, { recursive: true })
    // A cpuset of version 1 starts empty, and nothing can run in an empty one.
    if (root.version === 1) await inheritCpuset(folder)
    else await requireControllers(folder)
  }
}

/** All processes in the groups, those of the pods below them included. */
export async function processesIn(root: CgroupRoot): Promise<readonly number[]> {
  const groups = (await Promise.all(root.folders.map(withDescendants))).flat()
  const lists = groups.map((group) => readOrEmpty(join(group, 'cgroup.procs')))
  return [...new Set(lists.flatMap((list) => list.split('\n').filter(Boolean).map(Number)))]
}

/** Removes the groups, deepest first; returns those that could not be removed. */
export async function removeCgroups(root: CgroupRoot): Promise<readonly string[]> {
  const left: string[] = []
  for (const folder of root.folders) {
    for (const group of (await withDescendants(folder)).toReversed()) {
      await rmdir(group).catch(() => left.push(group))
    }
  }
  return left
}

async function withDescendants(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => undefined)
  if (entries === undefined) return []
  const children = entries.filter((entry) => entry.isDirectory()).map((entry) => join(folder, entry.name))
  return [folder, ...(await Promise.all(children.map(withDescendants))).flat()]
}

async function inheritCpuset(folder: string): Promise<void> {
  for (const file of ['cpuset.cpus', 'cpuset.mems']) {
    const inherited = readOrEmpty(join(folder, '..', file))
    if (inherited !== '') await writeFile(join(folder, file), inherited)
  }
}

/** A child group of version 2 has only the controllers that its parent passes on, each enabled separately. */
async function passControllersOn(folder: string): Promise<void> {
  const controllers = await readFile(join(folder, 'cgroup.controllers'), 'utf8')
  for (const controller of controllers.trim().split(' ')) {
    await writeFile(join(folder, 'cgroup.subtree_control'), `+${controller}`).catch(() => undefined)
  }
}

/** The kubelet would refuse too, but with a message that does not help. */
async function requireControllers(folder: string): Promise<void> {
  const [all = [], passedOn = []] = [join(folder, '..'), folder].map((group) =>
    readOrEmpty(join(group, 'cgroup.controllers')).trim().split(' '),
  )
  const missing = all.filter((controller) => NEEDED_CONTROLLERS.has(controller) && !passedOn.includes(controller))
  if (missing.length === 0) return
  throw new Error(
    `${join(folder, '..')} does not pass ${missing.join(', ')} on to ${folder}: ` +
      'processes in the upper group must first be moved to a child group',
  )
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
