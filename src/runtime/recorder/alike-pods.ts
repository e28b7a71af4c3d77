import { poolOf } from '#/core/recorder/pool-of.ts'
import { sha256 } from '#/runtime/sha256.ts'
import { textAt } from '#/core/basics/fields.ts'
import { shareAlike } from '#/core/basics/share-alike.ts'
import type { KubeObject, Trim } from '#/ports/kubernetes-object.ts'

/** Pools beyond this are held as they come. */
const MOST_TEMPLATES = 2000

/**
 * The runners of a pool are made from one template, and a large fleet is held in memory for as long as it is watched: each
 * pod shares with the one before it, of the same pool and phase, what is the same in both.
 */
export function holdAlike(trim: Trim): Trim {
  const latest = new Map<string, KubeObject>()
  return (object) => {
    const trimmed = trim(object)
    const key = `${poolOf(trimmed, sha256) ?? ''} ${textAt(trimmed, 'status', 'phase') ?? ''}`
    const shared = shareAlike(trimmed, latest.get(key))
    if (latest.has(key) || latest.size < MOST_TEMPLATES) latest.set(key, shared)
    return shared
  }
}
