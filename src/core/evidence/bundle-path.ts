const MAX_PATH_LENGTH = 1024

/** Why a path is not allowed in a bundle, or null. Paths are relative, use `/` and stay inside the bundle. */
export function refusePath(path: string): string | null {
  if (path === '') return 'an empty path'
  if (path.length > MAX_PATH_LENGTH) return `a path of more than ${MAX_PATH_LENGTH} characters`
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path)) return 'an absolute path'
  if (path.includes('\\')) return 'a path with a backslash'
  if (hasControlCharacter(path)) return 'a path with a control character'
  const segments = path.split('/')
  if (segments.includes('..')) return 'a path that leaves the bundle'
  if (segments.includes('.') || segments.includes('')) return 'a path with an empty part'
  return null
}

function hasControlCharacter(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if (code < 0x20 || code === 0x7f) return true
  }
  return false
}

/** The path of each source in a bundle (docs/contracts/bundle.md). */
export const bundlePath = {
  meta: 'meta.json',
  resource: (resource: string): string => `kubernetes/${resource}.json`,
  stats: (node: string): string => `kubernetes/stats/${node}.json`,
  configz: (node: string): string => `kubernetes/configz/${node}.json`,
  audit: 'kubernetes/audit.jsonl',
  log: (log: LogName): string =>
    `logs/${log.namespace}/${log.pod}/${log.container}${log.previous ? '.previous' : ''}.log`,
  journalJson: (node: string): string => `journal/${node}.jsonl`,
  journalText: (node: string): string => `journal/${node}.log`,
  cgroup: (cgroup: CgroupName): string =>
    ['cgroup', cgroup.namespace, cgroup.pod, ...(cgroup.container === null ? [] : [cgroup.container])].join('/'),
  processes: (namespace: string, pod: string): string => `processes/${namespace}/${pod}.txt`,
  host: (host: string, name: string): string => `host/${host}/${name}`,
  githubJob: (id: number): string => `github/jobs/${id}.json`,
  githubRun: (id: number): string => `github/runs/${id}.json`,
  githubAnnotations: (id: number): string => `github/annotations/${id}.json`,
  githubLog: (id: number): string => `github/logs/${id}.log`,
  githubRunners: 'github/runners.json',
  githubQueuedJobs: 'github/queued-jobs.json',
  githubRateLimit: 'github/rate-limit.json',
  gitlabConfig: 'gitlab/config.toml',
  gitlabRunners: 'gitlab/runners.json',
  gitlabTokenOwner: 'gitlab/token-owner.json',
  fleet: 'fleet.yaml',
} as const

export type LogName = {
  readonly namespace: string
  readonly pod: string
  readonly container: string
  /** The log from before the last restart of the container. */
  readonly previous: boolean
}

/** A null container is the runner's, `_pod` the pod's own cgroup. */
export type CgroupName = { readonly namespace: string; readonly pod: string; readonly container: string | null }

export function parseLogPath(path: string): LogName | null {
  const match = /^logs\/([^/]+)\/([^/]+)\/([^/]+?)(\.previous)?\.log$/.exec(path)
  if (match === null) return null
  const [, namespace = '', pod = '', container = '', previous] = match
  return { namespace, pod, container, previous: previous !== undefined }
}
