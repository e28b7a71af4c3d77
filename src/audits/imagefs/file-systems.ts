import type { Fields } from '#/core/basics/fields.ts'
import { at, toFields, numberAt, textAt } from '#/core/basics/fields.ts'
import { parseQuantity } from '#/core/kubernetes/quantity.ts'
import type { Thresholds } from '#/core/fleet-file/thresholds.ts'

/** A file system of a node as its kubelet measures it. */
export type FileSystem = {
  readonly name: 'nodefs' | 'imagefs'
  readonly capacity: number
  readonly available: number
  readonly inodes: number | null
  readonly inodesFree: number | null
}

/** `node.fs` and `node.runtime.imageFs` of a stats summary; those without a size are left out. */
export function readFileSystems(stats: Fields): readonly FileSystem[] {
  const found = [
    fileSystem('nodefs', at(stats, 'node', 'fs')),
    fileSystem('imagefs', at(stats, 'node', 'runtime', 'imageFs')),
  ]
  return found.filter((one) => one !== null)
}

function fileSystem(name: FileSystem['name'], fields: unknown): FileSystem | null {
  const capacity = numberAt(fields, 'capacityBytes')
  const available = numberAt(fields, 'availableBytes')
  if (capacity === null || available === null || capacity <= 0) return null
  return {
    name,
    capacity,
    available,
    inodes: numberAt(fields, 'inodes'),
    inodesFree: numberAt(fields, 'inodesFree'),
  }
}

/** Equal size and nearly equal free space: one disk under two names, measured by the kubelet some seconds apart. */
export function isSingle(systems: readonly FileSystem[]): boolean {
  const [a, b] = systems
  if (a === undefined || b === undefined || a.capacity !== b.capacity || a.inodes !== b.inodes) return false
  return Math.abs(a.available - b.available) <= a.capacity * SAME_DISK
}

const SAME_DISK = 0.005

/** At which free share the kubelet evicts, and at which used share it deletes images. */
export type DiskLimits = {
  /** By signal, for example `nodefs.available`; the kubelet does not watch absent signals. */
  readonly eviction: ReadonlyMap<string, DiskLimit>
  /** Infinity if image garbage collection is off. */
  readonly imageGc: number
  readonly isOwnEviction: boolean
  readonly isOwnGc: boolean
}

export type DiskLimit =
  | { readonly kind: 'share'; readonly share: number }
  | { readonly kind: 'amount'; readonly amount: number }

const INODES = 0.05
const PERCENT = 100

/** The node's own from its kubelet configuration, else Kubernetes' defaults. */
export function readDiskLimits(configz: Fields | null, thresholds: Thresholds): DiskLimits {
  const config = at(configz, 'kubeletconfig')
  const hard = at(config, 'evictionHard')
  const gc = numberAt(config, 'imageGCHighThresholdPercent')
  const isOwnEviction = typeof hard === 'object' && hard !== null
  return {
    eviction: isOwnEviction
      ? new Map([
          // Setting one threshold switches the others off, unless the kubelet merges the defaults.
          ...(at(config, 'mergeDefaultEvictionSettings') === true ? defaultLimits(thresholds) : []),
          ...ownLimits(hard, toFields(at(config, 'evictionSoft'))),
        ])
      : defaultLimits(thresholds),
    imageGc: gc === null ? thresholds.imageGc : gcShare(gc),
    isOwnEviction,
    isOwnGc: gc !== null,
  }
}

/** At 100 the kubelet never collects. */
function gcShare(percent: number): number {
  return percent >= PERCENT ? Infinity : percent / PERCENT
}

/** A soft threshold evicts too, after a grace period: the one that is reached first counts. */
function ownLimits(hard: object, soft: Fields): ReadonlyMap<string, DiskLimit> {
  const limits = new Map<string, DiskLimit>()
  for (const signal of new Set([...Object.keys(hard), ...Object.keys(soft)])) {
    const limit = largerLimit(parseLimit(textAt(hard, signal)), parseLimit(textAt(soft, signal)))
    if (limit !== null) limits.set(signal, limit)
  }
  return limits
}

/** A share and an amount cannot be compared without a size: use the hard one. */
function largerLimit(hard: DiskLimit | null, soft: DiskLimit | null): DiskLimit | null {
  if (hard === null || soft === null) return hard ?? soft
  if (hard.kind === 'share' && soft.kind === 'share') return soft.share > hard.share ? soft : hard
  if (hard.kind === 'amount' && soft.kind === 'amount') return soft.amount > hard.amount ? soft : hard
  return hard
}

function parseLimit(text: string | null): DiskLimit | null {
  const percent = /^(?<percent>\d{1,3}(?:\.\d{1,6})?)%$/.exec(text ?? '')?.groups?.['percent']
  if (percent !== undefined) return { kind: 'share', share: Number(percent) / PERCENT }
  const amount = parseQuantity(text)
  return amount === null ? null : { kind: 'amount', amount }
}

function defaultLimits({ nodefsEviction, imagefsEviction }: Thresholds): ReadonlyMap<string, DiskLimit> {
  return new Map([
    ['nodefs.available', { kind: 'share', share: nodefsEviction }],
    ['imagefs.available', { kind: 'share', share: imagefsEviction }],
    ['nodefs.inodesFree', { kind: 'share', share: INODES }],
    ['imagefs.inodesFree', { kind: 'share', share: INODES }],
  ])
}

/** A signal at or near its threshold, in shares of the total. */
export type NearEviction = { readonly signal: string; readonly free: number; readonly threshold: number }

export function nearEvictions(
  systems: readonly FileSystem[],
  { eviction }: DiskLimits,
  margin: number,
): readonly NearEviction[] {
  return systems.flatMap((system) => [
    ...near(`${system.name}.available`, { free: system.available, whole: system.capacity }, { eviction, margin }),
    ...(system.inodes === null || system.inodesFree === null || system.inodes <= 0
      ? []
      : near(`${system.name}.inodesFree`, { free: system.inodesFree, whole: system.inodes }, { eviction, margin })),
  ])
}

function near(
  signal: string,
  { free, whole }: { readonly free: number; readonly whole: number },
  { eviction, margin }: { readonly eviction: DiskLimits['eviction']; readonly margin: number },
): readonly NearEviction[] {
  const limit = eviction.get(signal)
  if (limit === undefined) return []
  const threshold = limit.kind === 'share' ? limit.share : limit.amount / whole
  // A threshold of 0 is off.
  if (threshold <= 0) return []
  const share = free / whole
  return share <= threshold + margin + 1e-9 ? [{ signal, free: share, threshold }] : []
}

/** As the kubelet counts it for its image garbage collection. */
export function usedShare({ capacity, available }: FileSystem): number {
  return 1 - available / capacity
}
