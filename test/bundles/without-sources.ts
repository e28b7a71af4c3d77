import { blind } from '#/core/basics/observed.ts'
import type { Observed } from '#/core/basics/observed.ts'
import type { Bundle } from '#/ports/bundle.ts'

/** Sources that a verdict may rest on, as a bundle names them. */
export const REMOVABLE = [
  'kubernetes/pods',
  'kubernetes/events',
  'kubernetes/audit',
  'kubernetes/nodes',
  'kubernetes/ephemeralrunners',
  'kubernetes/namespaces',
  'logs',
  'journal',
  'cgroup',
  'host',
  'github/jobs',
  'github/annotations',
  'github/logs',
  'github/rate-limit',
] as const
export type Removable = (typeof REMOVABLE)[number]

/** The same bundle as if these files had never been collected. */
export function withoutSources(bundle: Bundle, removed: ReadonlySet<string>): Bundle {
  const gone = blind('not-asked', 'removed by the test')
  const unless = <T>(source: Removable, read: () => Observed<T>): Observed<T> => (removed.has(source) ? gone : read())
  const unlessAsync = async <T>(source: Removable, read: () => Promise<Observed<T>>): Promise<Observed<T>> =>
    removed.has(source) ? gone : read()
  return {
    ...bundle,
    coverage: (source) => ([...removed].some((name) => source === name || source.startsWith(`${name}/`)) ? null : bundle.coverage(source)),
    list: async (resource) => (removed.has(`kubernetes/${resource}`) ? gone : bundle.list(resource)),
    auditLog: () => unlessAsync('kubernetes/audit', () => bundle.auditLog()),
    logs: () => unless('logs', () => bundle.logs()),
    log: (name) => unlessAsync('logs', () => bundle.log(name)),
    journals: () => unless('journal', () => bundle.journals()),
    journal: (node, window) => unlessAsync('journal', () => bundle.journal(node, window)),
    cgroup: (name) => unlessAsync('cgroup', () => bundle.cgroup(name)),
    hosts: () => unless('host', () => bundle.hosts()),
    hostFile: (host, name) => unlessAsync('host', () => bundle.hostFile(host, name)),
    githubJobs: () => unless('github/jobs', () => bundle.githubJobs()),
    githubJob: (id) => unlessAsync('github/jobs', () => bundle.githubJob(id)),
    githubQueuedJobs: () => unlessAsync('github/jobs', () => bundle.githubQueuedJobs()),
    githubAnnotations: (id) => unlessAsync('github/annotations', () => bundle.githubAnnotations(id)),
    githubLog: (id) => unlessAsync('github/logs', () => bundle.githubLog(id)),
    githubRateLimit: () => unlessAsync('github/rate-limit', () => bundle.githubRateLimit()),
  }
}
