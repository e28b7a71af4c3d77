import type { BundleSubject, Coverage } from '#/core/evidence/bundle-meta.ts'
import type { CgroupName, LogName } from '#/core/evidence/bundle-path.ts'
import { bundlePath } from '#/core/evidence/bundle-path.ts'
import type { BundleResource } from '#/core/evidence/bundle-source.ts'
import { blind, seen, seenList } from '#/core/basics/observed.ts'
import type { Observed } from '#/core/basics/observed.ts'
import type { Bundle, BundleObject, JsonObject } from '#/ports/bundle.ts'
import type { JournalLine, JournalReading } from '#/ports/journal.ts'
import { second } from '#test/why/evidence.ts'

/** What a test puts into a bundle. Everything else is blind. */
export type Contents = {
  readonly subject?: BundleSubject
  readonly lists?: Partial<Record<BundleResource, readonly object[]>>
  readonly audit?: readonly object[]
  /** By path, as the contract names them: `logs/ci/linux-x1/runner.log`. */
  readonly logs?: Readonly<Record<string, string>>
  readonly journals?: Readonly<Record<string, Observed<JournalReading>>>
  readonly cgroups?: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly hosts?: Readonly<Record<string, string>>
  readonly jobs?: readonly (JsonObject & { readonly id: number })[]
  readonly annotations?: readonly JsonObject[]
  readonly jobLog?: string
  readonly queued?: readonly JsonObject[]
  readonly rateLimit?: JsonObject
  readonly coverage?: Readonly<Record<string, Coverage>>
}

const UNASKED = blind('not-asked', 'the test has none')
const given = <T>(value: T | undefined): Observed<T> => (value === undefined ? UNASKED : seen(value))

export function makeBundle(contents: Contents): Bundle {
  const unused = async () => UNASKED
  return {
    meta: { collectedAt: second(900), subject: contents.subject ?? {}, sources: new Map() },
    paths: [],
    coverage: (source) => contents.coverage?.[source] ?? null,
    list: async (resource) => {
      const rows = contents.lists?.[resource]
      return rows === undefined ? UNASKED : seenList(rows as readonly BundleObject[])
    },
    auditLog: async () =>
      given(contents.audit === undefined ? undefined : { lines: contents.audit as readonly JsonObject[], gaps: [] }),
    logs: () => given(contents.logs === undefined ? undefined : Object.keys(contents.logs).map(logName)),
    log: async (name) => given(contents.logs?.[bundlePath.log(name)]),
    journals: () => given(contents.journals === undefined ? undefined : Object.keys(contents.journals)),
    journal: async (node) => contents.journals?.[node] ?? UNASKED,
    cgroup: async (name) => readCgroup(contents, name),
    hosts: () => UNASKED,
    hostFile: async (host, name) => given(contents.hosts?.[bundlePath.host(host, name)]),
    githubJobs: () => given(contents.jobs?.map(({ id }) => id)),
    githubJob: async (id) => given(contents.jobs?.find((job) => job.id === id)),
    githubAnnotations: async () => given(contents.annotations),
    githubLog: async () => given(contents.jobLog),
    githubQueuedJobs: async () => given(contents.queued),
    githubRateLimit: async () => given(contents.rateLimit),
    stats: unused,
    configz: unused,
    processes: unused,
    githubRun: unused,
    githubRunners: unused,
    gitlabConfig: unused,
    gitlabRunners: unused,
    gitlabTokenOwner: unused,
    fleet: unused,
    [Symbol.asyncDispose]: async () => {},
  }
}

function logName(path: string): LogName {
  const [, namespace = '', pod = '', file = ''] = path.split('/')
  const previous = file.endsWith('.previous.log')
  return { namespace, pod, container: file.replace(/(?:\.previous)?\.log$/, ''), previous }
}

function readCgroup({ cgroups }: Contents, name: CgroupName): Observed<ReadonlyMap<string, string>> {
  const files = cgroups?.[bundlePath.cgroup(name)]
  return files === undefined ? UNASKED : seen(new Map(Object.entries(files)))
}

export type JournalRow = readonly [at: number, identifier: string, message: string | null]

/** Lines of a journal, each with its time in seconds, who wrote it, and the message. */
export function makeJournal(...rows: readonly JournalRow[]): JournalReading {
  const lines = rows.map(([at, identifier, message]): JournalLine => ({
    at: second(at),
    readAt: second(at),
    monotonicUs: null,
    bootId: null,
    host: null,
    unit: null,
    identifier,
    pid: null,
    comm: null,
    priority: null,
    transport: identifier === 'kernel' ? 'kernel' : 'journal',
    message,
  }))
  const digest = { lines: lines.length, from: lines[0]?.at ?? null, to: lines.at(-1)?.at ?? null, boots: [] }
  return { lines, gaps: [], digest }
}

/** A pod as `kubectl get -o json` prints it, as far as it is asked about. */
export function podObject(
  name: string,
  {
    metadata = {},
    spec = {},
    status = {},
  }: { readonly metadata?: object; readonly spec?: object; readonly status?: object } = {},
): object {
  return {
    metadata: { name, namespace: 'ci', uid: `uid-of-${name}`, creationTimestamp: '2026-06-06T21:00:00Z', ...metadata },
    spec: { nodeName: 'n1', ...spec },
    status: { phase: 'Running', ...status },
  }
}
