import { readFileSync } from 'node:fs'

export interface Mount {
  readonly point: string
  readonly type: string
  /** The options of the file system, where cgroup v1 names its controllers. */
  readonly options: readonly string[]
}

/** Reads the text of /proc/self/mountinfo, in the order in which things were mounted. */
export function parseMounts(mountinfo: string): readonly Mount[] {
  return mountinfo.split('\n').flatMap((line) => {
    const [before = '', after = ''] = line.split(' - ')
    const point = before.split(' ')[4]
    const [type, , options] = after.split(' ')
    if (point === undefined || type === undefined) return []
    return [{ point: decode(point), type, options: (options ?? '').split(',') }]
  })
}

export function readMounts(): readonly Mount[] {
  try {
    return parseMounts(readFileSync('/proc/self/mountinfo', 'utf8'))
  } catch {
    return []
  }
}

export function mountsBelow(folder: string): readonly string[] {
  return readMounts()
    .map((mount) => mount.point)
    .filter((point) => point === folder || point.startsWith(`${folder}/`))
}

/** The kernel writes spaces and backslashes as octal numbers. */
function decode(path: string): string {
  return path.replaceAll(/\\(\d{3})/gu, (_, octal: string) => String.fromCodePoint(Number.parseInt(octal, 8)))
}
