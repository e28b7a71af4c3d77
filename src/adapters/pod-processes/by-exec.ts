import { randomUUID } from 'node:crypto'
import { blind } from '#/core/basics/observed.ts'
import { LISTING_SCRIPT, readListing } from '#/core/processes/listing.ts'
import { printProcesses } from '#/core/processes/print-processes.ts'
import type { ReadPodProcesses } from '#/ports/pod-processes.ts'
import { runInContainer } from './run-in-container.ts'
import type { ExecMeans } from './run-in-container.ts'

export type ByExecMeans = ExecMeans & { readonly redact: (text: string) => string }

/** Reads them inside the container, where `pods/exec` is granted: by sh and cat, which need no `ps`. */
export function processesByExec({ redact, ...means }: ByExecMeans): ReadPodProcesses {
  // Who may not do it once in a namespace is not asked again there.
  const refused = new Map<string, string>()
  return async ({ namespace, pod, container }, signal) => {
    const known = refused.get(namespace)
    if (known !== undefined) return blind('forbidden', known)
    const separator = randomUUID()
    const command = ['sh', '-c', LISTING_SCRIPT, 'sh', separator]
    const printed = await runInContainer(means, { namespace, pod, container, command }, signal)
    if (printed.kind === 'blind' && printed.reason.code === 'forbidden') refused.set(namespace, printed.reason.detail)
    if (printed.kind !== 'seen') return printed
    const listing = readListing(printed.value, separator)
    return listing.kind === 'seen' ? printProcesses(listing.value.processes, { ...listing.value, redact }) : listing
  }
}
