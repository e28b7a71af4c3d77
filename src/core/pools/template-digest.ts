import { toFields } from '#/core/basics/fields.ts'
import { assemblePod } from './pod/assemble-pod.ts'
import type { PodSettings } from './pod/settings.ts'
import type { RunnerPool } from './runner-pool.ts'

/**
 * What the pods of the pool are made from, in 16 characters; the value of the annotation signalbox.dev/template. Sizes, shares
 * and labels are no part of it: they change without a new pod.
 */
export function templateDigest(pool: RunnerPool, settings: PodSettings): string {
  const text = JSON.stringify(assemblePod(pool, settings), inOrder)
  return hash(text, 0x81_1c_9d_c5) + hash(text, 0x9e_37_79_b9)
}

/** Keys in one order, so that the order in which somebody wrote them rolls no pool. */
function inOrder(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(toFields(value)).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

const PRIME = 0x01_00_01_93

/** FNV-1a of 32 bits: it tells versions of a template apart and guards nothing. */
function hash(text: string, seed: number): string {
  let state = seed
  for (let index = 0; index < text.length; index += 1) state = Math.imul(state ^ text.charCodeAt(index), PRIME)
  return (state >>> 0).toString(16).padStart(8, '0')
}
