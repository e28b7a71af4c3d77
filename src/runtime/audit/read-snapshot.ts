import type { BundleResource } from '#/core/evidence/bundle-source.ts'
import { BUNDLE_RESOURCES } from '#/core/evidence/bundle-source.ts'
import { textAt } from '#/core/basics/fields.ts'
import type { Fields } from '#/core/basics/fields.ts'
import type { Audit } from '#/core/audit/audit.ts'
import type { FleetFile } from '#/core/fleet-file/fleet-file.ts'
import type { Snapshot } from '#/core/fleet/snapshot.ts'
import { blind, seenList } from '#/core/basics/observed.ts'
import type { Observed } from '#/core/basics/observed.ts'
import type { Bundle } from '#/ports/bundle.ts'
import { sha256 } from '#/runtime/sha256.ts'
import { readExcerpts } from './read-excerpts.ts'
import { readJobLogs } from './read-job-logs.ts'
import type { JobLogReading } from './read-job-logs.ts'
import type { ExcerptReading } from './read-excerpts.ts'
import { readAnnotations } from './read-annotations.ts'
import { readHosts } from './read-hosts.ts'
import type { HostReading } from './read-hosts.ts'

/** Parses a fleet file; the adapter knows its schema. */
export type ReadFleetFile = (document: Fields) => Observed<FleetFile>

const NOT_ASKED = blind('not-asked', 'no selected audit reads it')

/** Reads only what the audits need: the logs of a fleet of 50,000 pods take too long. */
export async function readSnapshot(
  bundle: Bundle,
  audits: readonly Pick<Audit, 'reads' | 'mentions'>[],
  readFleetFile: ReadFleetFile,
): Promise<Snapshot> {
  const wanted = new Set(audits.flatMap(({ reads }) => reads.map(({ source }) => source)))
  const asked = <T>(source: string, read: () => Promise<Observed<T>>): Promise<Observed<T>> =>
    wanted.has(source) ? read() : Promise.resolve(NOT_ASKED)
  const lists = new Map<BundleResource, Observed<readonly Fields[]>>()
  for (const resource of BUNDLE_RESOURCES) {
    if (wanted.has(`kubernetes/${resource}`)) lists.set(resource, await bundle.list(resource))
  }
  const excerpts = wanted.has('logs') ? await readExcerpts(bundle, listMentions(audits)) : NO_EXCERPTS
  const jobs = wanted.has('github/logs') ? await readJobLogs(bundle, listMentions(audits)) : NO_JOB_LOGS
  const processes = wanted.has('processes') ? await readProcesses(bundle, lists) : undefined
  const hosts = wanted.has('host') ? await readHosts(bundle) : NO_HOSTS
  return {
    now: bundle.meta.collectedAt,
    digest: sha256,
    lists,
    stats: await byNode(bundle, wanted.has('kubernetes/stats') ? 'stats' : null, lists),
    configz: await byNode(bundle, wanted.has('kubernetes/configz') ? 'configz' : null, lists),
    auditLog: await asked('kubernetes/audit', () => auditLines(bundle)),
    logs: excerpts.logs,
    hosts: hosts.hosts,
    ...(processes === undefined ? {} : { processes }),
    github: {
      runners: await asked('github/runners', () => bundle.githubRunners()),
      queuedJobs: await asked('github/queued-jobs', () => bundle.githubQueuedJobs()),
      jobs: await asked('github/jobs', () => singleJobs(bundle)),
      rateLimit: await asked('github/rate-limit', () => bundle.githubRateLimit()),
      annotations: await asked('github/annotations', () => readAnnotations(bundle)),
    },
    gitlab: {
      config: await asked('gitlab/config', () => bundle.gitlabConfig()),
      runners: await asked('gitlab/runners', () => bundle.gitlabRunners()),
      tokenOwner: await asked('gitlab/token-owner', () => bundle.gitlabTokenOwner()),
    },
    jobLogs: jobs.jobLogs,
    fleetFile: readDeclared(await bundle.fleet(), readFleetFile),
    gaps: [...excerpts.gaps, ...jobs.gaps, ...hosts.gaps],
    remarks: listRemarks(bundle, wanted, { logs: excerpts.remark, 'github/logs': jobs.remark }),
    coverage: listCoverage(bundle, wanted),
  }
}

const NO_EXCERPTS: ExcerptReading = { logs: NOT_ASKED, gaps: [], remark: null }
const NO_JOB_LOGS: JobLogReading = { jobLogs: NOT_ASKED, gaps: [], remark: null }
const NO_HOSTS: HostReading = { hosts: NOT_ASKED, gaps: [] }

/** Remarks of the collector ("3 of 40 could not be read") and of the reader. */
function listRemarks(
  bundle: Bundle,
  wanted: ReadonlySet<string>,
  own: Readonly<Record<string, string | null>>,
): ReadonlyMap<string, string> {
  const entries = [...wanted].map((source) => {
    const remarks = [bundle.coverage(source)?.remark ?? null, own[source] ?? null]
    return [source, remarks.filter((remark) => remark !== null).join('; ')] as const
  })
  return new Map(entries.filter(([, remark]) => remark !== ''))
}

function listCoverage(bundle: Bundle, wanted: ReadonlySet<string>): NonNullable<Snapshot['coverage']> {
  const covered = [...wanted].flatMap((source) => {
    const coverage = bundle.coverage(source)
    return coverage === null ? [] : [[source, coverage] as const]
  })
  return new Map(covered)
}

/** An existing file declares something: an empty one lost its content. */
function readDeclared(document: Observed<Fields>, read: ReadFleetFile): Observed<FleetFile> {
  if (document.kind === 'none') return blind('malformed', 'the fleet file is empty')
  return document.kind === 'seen' ? read(document.value) : document
}

function listMentions(audits: readonly Pick<Audit, 'mentions'>[]): readonly string[] {
  return [...new Set(audits.flatMap(({ mentions }) => mentions ?? []))]
}

/** Nodes of the list, and nodes with a file. */
async function byNode(
  bundle: Bundle,
  kind: 'stats' | 'configz' | null,
  lists: Snapshot['lists'],
): Promise<ReadonlyMap<string, Observed<Fields>>> {
  if (kind === null) return new Map()
  const nodes = lists.get('nodes') ?? (await bundle.list('nodes'))
  const listed = nodes.kind === 'seen' ? nodes.value.map((node) => objectName(node)) : []
  const folder = `kubernetes/${kind}/`
  const filed = bundle.paths.flatMap((path) =>
    path.startsWith(folder) && path.endsWith('.json') ? [path.slice(folder.length, -'.json'.length)] : [],
  )
  const found = new Map<string, Observed<Fields>>()
  for (const node of new Set([...listed, ...filed])) found.set(node, await bundle[kind](node))
  return found
}

/** Of every runner: a pod that the collector did not look at is blind. */
async function readProcesses(bundle: Bundle, lists: Snapshot['lists']): Promise<NonNullable<Snapshot['processes']>> {
  const runners = lists.get('ephemeralrunners')
  const found = new Map<string, Observed<string>>()
  for (const runner of runners?.kind === 'seen' ? runners.value : []) {
    const namespace = textAt(runner, 'metadata', 'namespace') ?? 'default'
    const pod = objectName(runner)
    found.set(`${namespace}/${pod}`, await bundle.processes(namespace, pod))
  }
  return found
}

function objectName(object: Fields): string {
  const { metadata } = object
  return typeof metadata === 'object' && metadata !== null && 'name' in metadata ? String(metadata.name) : ''
}

async function auditLines(bundle: Bundle): Promise<Observed<readonly Fields[]>> {
  const audit = await bundle.auditLog()
  if (audit.kind !== 'seen') return audit
  const [gap] = audit.value.gaps
  return gap === undefined ? seenList(audit.value.lines) : blind(gap.code, gap.detail)
}

/** If one job cannot be read, the source is incomplete. */
async function singleJobs(bundle: Bundle): Promise<Observed<readonly Fields[]>> {
  const ids = bundle.githubJobs()
  if (ids.kind !== 'seen') return ids
  const rows: Fields[] = []
  for (const id of ids.value) {
    const job = await bundle.githubJob(id)
    if (job.kind === 'blind') return job
    if (job.kind === 'seen') rows.push(job.value)
  }
  return seenList(rows)
}
