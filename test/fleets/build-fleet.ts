import type { BundleResource } from '#/core/evidence/bundle-source.ts'
import { BUNDLE_RESOURCES } from '#/core/evidence/bundle-source.ts'
import type { Fields } from '#/core/basics/fields.ts'
import { readFleet } from '#/core/fleet/fleet.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import type { Snapshot } from '#/core/fleet/snapshot.ts'
import { blind, none, seenList } from '#/core/basics/observed.ts'
import type { Observed } from '#/core/basics/observed.ts'
import { sha256 } from '#/runtime/sha256.ts'

export const NOW = Date.parse('2026-06-01T12:00:00Z')

export const ago = (ms: number): string => new Date(NOW - ms).toISOString()

export type Lists = Partial<Readonly<Record<BundleResource, readonly Fields[] | Observed<readonly Fields[]>>>>

/** A snapshot in which every source was read and is empty, except for what is given. */
export function buildSnapshot(lists: Lists, others: Partial<Snapshot> = {}): Snapshot {
  return {
    now: NOW,
    digest: sha256,
    lists: new Map(BUNDLE_RESOURCES.map((resource) => [resource, toObserved(lists[resource])])),
    stats: new Map(),
    configz: new Map(),
    auditLog: none(),
    logs: none(),
    hosts: none(),
    github: { runners: none(), queuedJobs: none(), jobs: none(), rateLimit: none() },
    gitlab: { config: none(), runners: none() },
    fleetFile: blind('not-asked', 'no fleet file'),
    ...others,
  }
}

export function buildFleet(lists: Lists, others: Partial<Snapshot> = {}): Fleet {
  return readFleet(buildSnapshot(lists, others))
}

function toObserved(rows: Lists[BundleResource]): Observed<readonly Fields[]> {
  if (rows === undefined) return none()
  return 'kind' in rows ? rows : seenList(rows)
}
