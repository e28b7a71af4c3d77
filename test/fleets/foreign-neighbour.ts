import type { Files } from '#test/bundles/mutate-files.ts'
import { readText, withFile } from './fleet-files.ts'

/** How the neighbour fleet differs from ours. */
export type Neighbour = {
  /** Renames in every file and path, longest first. */
  readonly names: readonly (readonly [from: string, to: string])[]
  /** Its own controller for only its namespace: one for all namespaces would serve our sets too. */
  readonly hasController: boolean
}

/** Elsewhere in the cluster: its own namespaces, node, organisation and controller, but the same set names. */
export const ELSEWHERE: Neighbour = {
  hasController: true,
  names: [
    ['arc-runners', 'foreign-runners'],
    ['arc-systems', 'foreign-systems'],
    ['example-org', 'foreign-org'],
    ['runner-node-1', 'foreign-node-1'],
  ],
}

/** Other sets in the same namespaces, under the same controller. */
export const SAME_NAMESPACES: Neighbour = {
  hasController: false,
  names: [
    ['docker-build', 'other-build'],
    ['linux-x64', 'other-x64'],
    ['runner-node-1', 'foreign-node-1'],
  ],
}

/** The fleet with another one in the same cluster, recorded at the same time. */
export function withNeighbour(own: Files, foreign: Files, neighbour: Neighbour): Files {
  const shift = collectedAt(own) - collectedAt(foreign)
  const moved = [...foreign]
    .filter(([name]) => !GLOBAL_FILES.has(name) && isTaken(name, neighbour))
    .map(([name, bytes]) => [renamed(name, neighbour), another(bytes, neighbour, shift)] as const)
  return moved.reduce((now, [name, text]) => {
    const theirs = neighbour.hasController ? text : withoutController(name, text)
    return withFile(now, name, merged(name, readText(now, name), theirs))
  }, own)
}

const GLOBAL_FILES = new Set(['meta.json', 'github/rate-limit.json', 'fleet.yaml'])
const CONTROLLER = 'gha-rs-controller'

/** GitHub's lists cover one organisation; the other fleet has its own. */
function isTaken(name: string, { hasController }: Neighbour): boolean {
  return hasController ? !name.startsWith('github/') : !name.includes(CONTROLLER)
}

function withoutController(name: string, text: string): string {
  if (!/^kubernetes\/\w+\.json$/.test(name)) return text
  const list = JSON.parse(text) as Readonly<Record<string, unknown>>
  return JSON.stringify({ ...list, items: readRows(list, 'items').filter((row) => !rowName(row).includes(CONTROLLER)) })
}

function collectedAt(files: Files): number {
  return Date.parse((JSON.parse(readText(files, 'meta.json')) as { readonly collectedAt: string }).collectedAt)
}

function renamed(text: string, { names }: Neighbour): string {
  return names.reduce((now, [from, to]) => now.replaceAll(from, to), text)
}

/** Changes UIDs and random name suffixes, and shifts all times by the same amount. */
function another(bytes: Uint8Array, neighbour: Neighbour, shift: number): string {
  return renamed(Buffer.from(bytes).toString('utf8'), neighbour)
    .replaceAll(
      '"--auto-scaling-runner-set-only"',
      '"--auto-scaling-runner-set-only","--watch-single-namespace=foreign-runners"',
    )
    .replaceAll(/(?<=-runner-)[a-z0-9]{2}(?=[a-z0-9]{3}\b)/g, 'zz')
    .replaceAll(/\b[0-9a-f]{4}(?=[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-)/g, 'f0f0')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, (time) =>
      new Date(Date.parse(time) + shift).toISOString(),
    )
}

type Rows = readonly Readonly<Record<string, unknown>>[]

function merged(name: string, own: string, foreign: string): string {
  if (own === '') return foreign
  if (name.endsWith('.jsonl')) return `${own.trimEnd()}\n${foreign}`
  if (/^(?:logs|host|kubernetes\/stats|kubernetes\/configz|gitlab)\//.test(name)) return own
  const [mine, theirs] = [JSON.parse(own) as unknown, JSON.parse(foreign) as unknown]
  const key = name.startsWith('kubernetes/') ? 'items' : name === 'github/runners.json' ? 'runners' : null
  if (key === null) return Array.isArray(mine) ? JSON.stringify([...(mine as Rows), ...(theirs as Rows)]) : own
  const rows = readRows(mine, key)
  const known = new Set(rows.map(rowName))
  const all = [...rows, ...readRows(theirs, key).filter((row) => !known.has(rowName(row)))]
  return JSON.stringify({ ...(mine as object), [key]: all })
}

function readRows(document: unknown, key: string): Rows {
  return (document as Readonly<Record<string, Rows>>)[key] ?? []
}

function rowName(row: Readonly<Record<string, unknown>>): string {
  const { namespace = '', name = '' } = (row['metadata'] ?? row) as Readonly<Record<string, string>>
  return `${namespace}/${name}`
}
