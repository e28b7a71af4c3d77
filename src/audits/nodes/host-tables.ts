import type { Fleet } from '#/core/fleet/fleet.ts'
import type { NodeRecord } from '#/core/kubernetes/node-record.ts'
import { textAt } from '#/core/basics/fields.ts'

/** The controller with the most control groups; null if the file has none. */
export function mostCgroups(text: string): { readonly controller: string; readonly groups: number } | null {
  let most: { readonly controller: string; readonly groups: number } | null = null
  for (const line of text.split('\n')) {
    const [controller = '', , number = ''] = line.trim().split(/\s+/)
    if (controller.startsWith('#') || !/^\d{1,15}$/.test(number)) continue
    if (most === null || Number(number) > most.groups) most = { controller, groups: Number(number) }
  }
  return most
}

export type FileTable = { readonly used: number; readonly most: number }

/** `file-nr` holds: allocated, allocated but free, the limit. `file-max` holds the limit alone. */
export function fileTable(fileNr: string, fileMax: string | null): FileTable | null {
  const [taken, free, limit = fileMax?.trim()] = fileNr.trim().split(/\s+/)
  const numbers = [taken, free, limit].map((word) => (/^\d{1,20}$/.test(word ?? '') ? Number(word) : Number.NaN))
  const [used = Number.NaN, unused = Number.NaN, most = Number.NaN] = numbers
  return [used, unused, most].some(Number.isNaN) || most <= 0 ? null : { used: used - unused, most }
}

/** By name, by the hostname label, or by the short name before the first dot. */
export function nodesByHost({ nodes }: Fleet): (host: string) => NodeRecord | null {
  const names = new Map<string, NodeRecord>()
  const add = (name: string | null, node: NodeRecord): void => {
    if (name !== null && !names.has(name.toLowerCase())) names.set(name.toLowerCase(), node)
  }
  for (const node of nodes) add(node.name, node)
  for (const node of nodes) add(textAt(node.labels, 'kubernetes.io/hostname'), node)
  for (const node of nodes) add(short(node.name), node)
  return (host) => names.get(host.toLowerCase()) ?? names.get(short(host).toLowerCase()) ?? null
}

/** The first part of an IP address is not a name. */
function short(name: string): string {
  if (/^[\d.]+$/.test(name)) return name
  return name.split('.', 1)[0] ?? name
}
