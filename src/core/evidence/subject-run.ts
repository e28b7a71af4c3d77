import { recordedJob } from '#/core/github/recorded-job.ts'

/** A workflow run. Each GitHub instance has its own ids; what is not known is null. */
export type Run = { readonly site: string | null; readonly repository: string | null; readonly id: number }

const IN_ADDRESS = /^(?:\/api\/v3)?(?:\/repos)?\/(?<owner>[^/]+)\/(?<name>[^/]+)\/actions\/runs\/(?<id>\d+)(?:\/|$)/

/** From the URL of a run or of one of its jobs. */
export function runIn(address: string): (Run & { readonly repository: string }) | null {
  const url = URL.parse(/^https?:\/\//i.test(address) ? address : `https://${address}`)
  const { owner, name, id } = IN_ADDRESS.exec(url?.pathname ?? '')?.groups ?? {}
  if (url === null || !Number.isSafeInteger(Number(id)) || Number(id) <= 0) return null
  return { site: url.host, repository: `${owner}/${name}`, id: Number(id) }
}

/** The run in ARC's record of a runner. */
export function readRecordedRun(record: unknown): Run | null {
  const job = recordedJob(record)
  if (job === null || job.runId === null) return null
  return { site: runIn(job.url ?? '')?.site ?? null, repository: job.repository, id: job.runId }
}

/** An unknown part matches any. */
export function isSameRun(one: Run, other: Run): boolean {
  if (one.id !== other.id) return false
  if (differ(one.repository, other.repository)) return false
  return !differ(toSite(one), toSite(other))
}

function differ(one: string | null, other: string | null): boolean {
  return one !== null && other !== null && one.toLowerCase() !== other.toLowerCase()
}

function toSite({ site }: Run): string | null {
  return site === null ? null : site.replace(/^api\./i, '')
}
