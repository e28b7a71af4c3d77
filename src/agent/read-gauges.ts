import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CgroupCopy } from '#/ports/this-host.ts'
import { PRESSURE_RESOURCES } from '#/protocol/poll.ts'
import type { Gauges } from '#/protocol/poll.ts'

/** The node's current gauges; values that cannot be read are left out. */
export async function readGauges(
  proc: string,
  {
    copies,
    ...held
  }: { readonly copies: Iterable<CgroupCopy> } & Pick<Gauges, 'heldLogs' | 'endedPods' | 'endedPodBytes'>,
): Promise<Gauges> {
  const read = (path: string): Promise<string> => readFile(join(proc, path), 'utf8').catch(() => '')
  const [allocated, , max] = (await read('sys/fs/file-nr')).trim().split(/\s+/)
  const groups = /^memory\s+\d+\s+(\d+)/m.exec(await read('cgroups'))?.[1]
  const pressure: Gauges['pressure'] = {}
  for (const resource of PRESSURE_RESOURCES) {
    const own = readPressure(await read(`pressure/${resource}`))
    if (own !== null) pressure[resource] = own
  }
  return {
    openFiles: toNumber(allocated),
    openFilesMax: toNumber(max),
    pressure,
    cgroups: toNumber(groups),
    ...countEvents(copies),
    ...held,
  }
}

/** `some avg10=1.53 avg60=…`: percent of the last ten seconds. */
export function readPressure(text: string): { readonly some: number; readonly full: number } | null {
  const share = (kind: string): number | null => toNumber(new RegExp(`^${kind} avg10=([\\d.]+)`, 'm').exec(text)?.[1])
  const [some, full] = [share('some'), share('full')]
  // Older kernels have no `full` line for cpu.
  return some === null ? null : { some: some / 100, full: (full ?? 0) / 100 }
}

/** Containers only: the pod's own counter includes them. */
export function countEvents(copies: Iterable<CgroupCopy>): Pick<Gauges, 'limitHits' | 'oomKills'> {
  let limitHits = 0
  let oomKills = 0
  for (const { container, files } of copies) {
    if (container === null) continue
    const events = files.get('memory.events') ?? ''
    limitHits += counter(events, 'max') ?? toNumber(files.get('memory.failcnt')?.trim()) ?? 0
    oomKills += counter(events, 'oom_kill') ?? counter(files.get('memory.oom_control') ?? '', 'oom_kill') ?? 0
  }
  return { limitHits, oomKills }
}

function counter(text: string, name: string): number | null {
  return toNumber(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1])
}

function toNumber(text: string | undefined): number | null {
  const value = Number(text)
  return text === undefined || text === '' || !Number.isFinite(value) ? null : value
}
