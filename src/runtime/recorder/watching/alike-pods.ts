import { poolName } from '#/core/recorder/pool-name.ts'
import { sha256 } from '#/runtime/sha256.ts'
import { textAt } from '#/core/basics/fields.ts'
import { shareAlike } from '#/core/basics/share-alike.ts'
import type { KubeObject, Trim } from '#/ports/kubernetes-object.ts'

/** Pods of further pools are kept without sharing. */
const MOST_TEMPLATES = 2000

/**
 * Saves memory in a large fleet: the runners of a pool come from one template, so each pod shares equal parts with the
 * previous pod of the same pool and phase.
 */
export function holdAlike(trim: Trim): Trim {
  const latest = new Map<string, KubeObject>()
  return (object) => {
    const trimmed = trim(object)
    const key = `${poolName(trimmed, sha256) ?? ''} ${textAt(trimmed, 'status', 'phase') ?? ''}`
    const shared = shareAlike(trimmed, latest.get(key))
    if (latest.has(key) || latest.size < MOST_TEMPLATES) latest.set(key, shared)
    return shared
  }
}
