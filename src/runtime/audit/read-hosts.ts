import { bundlePath } from '#/core/evidence/bundle-path.ts'
import { blindByAnswer } from '#/core/evidence/bundle-source.ts'
import { hostFileFault } from '#/core/fleet/host-file.ts'
import type { Snapshot, SourceGap } from '#/core/fleet/snapshot.ts'
import { blind, seen } from '#/core/basics/observed.ts'
import type { BlindReason } from '#/core/basics/observed.ts'
import type { Bundle } from '#/ports/bundle.ts'

export type HostReading = { readonly hosts: Snapshot['hosts']; readonly gaps: readonly SourceGap[] }

const HOST_FILES = [
  'proc/sys/fs/file-nr',
  'proc/sys/fs/file-max',
  'proc/sys/fs/nr_open',
  'proc/cgroups',
  'free-m',
] as const

/** The files of each host. A malformed file is left out and is a gap. */
export async function readHosts(bundle: Bundle): Promise<HostReading> {
  const listed = bundle.hosts()
  const isNotAsked = listed.kind === 'blind' && listed.reason.code === 'not-asked'
  if (listed.kind !== 'seen') return { hosts: listed, gaps: isNotAsked ? refusedHosts(bundle) : [] }
  const known = new Set(bundle.paths)
  const hosts = new Map<string, ReadonlyMap<string, string>>()
  const gaps = refusedHosts(bundle)
  for (const host of listed.value) {
    const files = new Map<string, string>()
    const faults: string[] = []
    for (const name of HOST_FILES) {
      if (!known.has(bundlePath.host(host, name))) continue
      const read = await bundle.hostFile(host, name)
      const text = read.kind === 'seen' ? read.value : ''
      const fault = read.kind === 'blind' ? read.reason.detail : hostFileFault(name, text)
      if (fault === null) files.set(name, text)
      else faults.push(`${name}: ${fault}`)
    }
    if (faults.length > 0) gaps.push(toGap(host, blind('malformed', faults.join('; ')).reason))
    hosts.set(host, files)
  }
  return { hosts: seen(hosts), gaps }
}

function toGap(host: string, reason: BlindReason): SourceGap {
  return { source: `host/${host}`, reason }
}

/** Hosts that could not be read while others could. */
function refusedHosts({ meta }: Bundle): SourceGap[] {
  return [...meta.sources].flatMap(([source, answer]) => {
    if (!source.startsWith('host/') || answer.kind === 'looked') return []
    const { reason } = blindByAnswer(answer)
    return reason.code === 'not-asked' ? [] : [{ source, reason }]
  })
}
