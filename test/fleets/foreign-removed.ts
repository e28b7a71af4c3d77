import type { BundleResource } from '#/core/evidence/bundle-source.ts'
import type { Snapshot } from '#/core/fleet/snapshot.ts'
import { blind } from '#/core/basics/observed.ts'

const GONE = blind('forbidden', 'removed by the test')

/** The same fleet for a user who may not read this source. */
export function withoutSource(snapshot: Snapshot, source: string): Snapshot {
  const { gitlab } = snapshot
  switch (source) {
    case 'kubernetes/stats':
      return { ...snapshot, stats: allGone(snapshot.stats) }
    case 'kubernetes/configz':
      return { ...snapshot, configz: allGone(snapshot.configz) }
    case 'kubernetes/audit':
      return { ...snapshot, auditLog: GONE }
    case 'logs':
      return { ...snapshot, logs: GONE }
    case 'host':
      return { ...snapshot, hosts: GONE }
    case 'github/logs':
      return { ...snapshot, jobLogs: GONE }
    case 'gitlab/config':
      return { ...snapshot, gitlab: { ...gitlab, config: GONE } }
    case 'gitlab/runners':
      return { ...snapshot, gitlab: { ...gitlab, runners: GONE } }
    case 'gitlab/token-owner':
      return { ...snapshot, gitlab: { ...gitlab, tokenOwner: GONE } }
    default:
      return source.startsWith('github/') ? withoutGitHub(snapshot, source) : withoutList(snapshot, source)
  }
}

const GITHUB_KEYS: ReadonlyMap<string, keyof Snapshot['github']> = new Map([
  ['github/runners', 'runners'],
  ['github/queued-jobs', 'queuedJobs'],
  ['github/jobs', 'jobs'],
  ['github/rate-limit', 'rateLimit'],
  ['github/annotations', 'annotations'],
])

function withoutGitHub(snapshot: Snapshot, source: string): Snapshot {
  const key = GITHUB_KEYS.get(source)
  if (key === undefined) throw new Error(`no audit reads ${source}`)
  return { ...snapshot, github: { ...snapshot.github, [key]: GONE } }
}

function withoutList(snapshot: Snapshot, source: string): Snapshot {
  const resource = source.replace('kubernetes/', '') as BundleResource
  if (!snapshot.lists.has(resource)) throw new Error(`no audit reads ${source}`)
  return { ...snapshot, lists: new Map([...snapshot.lists, [resource, GONE]]) }
}

function allGone(byNode: Snapshot['stats']): Snapshot['stats'] {
  return new Map([...byNode.keys()].map((node) => [node, GONE]))
}
