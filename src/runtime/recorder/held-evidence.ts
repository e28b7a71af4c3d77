import type { BundleMeta } from '#/core/evidence/bundle-meta.ts'
import type { Clock } from '#/ports/clock.ts'

/** The evidence of an open death so far, redacted. */
export type Collected = {
  readonly files: ReadonlyMap<string, Uint8Array>
  readonly meta: BundleMeta
  /** Of files as they were before redaction, by path, so that the same content is not redacted twice. */
  readonly marks: ReadonlyMap<string, string>
  /** What of the memory of this process is in it; null where another process collected it. */
  readonly inHand: InHandMark | null
}

export type InHandMark = {
  /** Characters of the followed log, before redaction. */
  readonly logLength: number
  /** UID and version of each event. */
  readonly events: string
}

/**
 * Keeps in memory what was stored of open deaths, so that the next step does not read it back. Bounded: in a mass incident
 * the oldest is dropped and read from the store.
 */
export type HeldEvidence = {
  readonly put: (uid: string, collected: Collected) => void
  readonly get: (uid: string) => Collected | null
  readonly drop: (uid: string) => void
  /** Of what is written next of a death: more than whatever was written of it before, by this process or another. */
  readonly nextRevision: (uid: string) => number
  /** The death is finished. */
  readonly forget: (uid: string) => void
  readonly bytes: () => number
}

export function createHeldEvidence(mostBytes: number, clock: Pick<Clock, 'now'>): HeldEvidence {
  const held = new Map<string, { readonly collected: Collected; readonly bytes: number }>()
  const revisions = new Map<string, number>()
  let total = 0
  const drop = (uid: string): void => {
    total -= held.get(uid)?.bytes ?? 0
    held.delete(uid)
  }
  return {
    put: (uid, collected) => {
      drop(uid)
      const bytes = countBytes(collected)
      held.set(uid, { collected, bytes })
      total += bytes
      for (const [oldest] of held) {
        if (total <= mostBytes) return
        drop(oldest)
      }
    },
    get: (uid) => held.get(uid)?.collected ?? null,
    drop,
    nextRevision: (uid) => {
      // In seconds: another process cannot know how often this one has written.
      const revision = Math.max((revisions.get(uid) ?? 0) + 1, Math.floor(clock.now() / 1000))
      revisions.set(uid, revision)
      return revision
    },
    forget: (uid) => {
      drop(uid)
      revisions.delete(uid)
    },
    bytes: () => total,
  }
}

export function countBytes({ files }: Pick<Collected, 'files'>): number {
  return files.values().reduce((sum, content) => sum + content.length, 0)
}
