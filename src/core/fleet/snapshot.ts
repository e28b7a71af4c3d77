import type { Coverage } from '#/core/evidence/bundle-meta.ts'
import type { BundleResource } from '#/core/evidence/bundle-source.ts'
import type { LogName } from '#/core/evidence/bundle-path.ts'
import type { Fields } from '#/core/basics/fields.ts'
import type { FleetFile } from '#/core/fleet-file/fleet-file.ts'
import type { ProbeAnswer } from './probe-answer.ts'
import type { Digest } from '#/core/redaction/redaction-secret.ts'
import type { BlindReason, Observed } from '#/core/basics/observed.ts'

/** What the sources returned, live or from a bundle. It holds only what the selected audits read. */
export type Snapshot = {
  /** The current time for all audits. */
  readonly now: number
  /** SHA-256, to compare values with those that `collect` wrote as digests. */
  readonly digest: Digest
  readonly lists: ReadonlyMap<BundleResource, Observed<readonly Fields[]>>
  /** By node. */
  readonly stats: ReadonlyMap<string, Observed<Fields>>
  readonly configz: ReadonlyMap<string, Observed<Fields>>
  readonly auditLog: Observed<readonly Fields[]>
  readonly logs: Observed<readonly LogExcerpt[]>
  /** Files of the hosts, by host and name (`proc/sys/fs/file-nr`). */
  readonly hosts: Observed<ReadonlyMap<string, ReadonlyMap<string, string>>>
  /** The text of `ps` in each runner container, by `namespace/pod`. Absent if not requested. */
  readonly processes?: ReadonlyMap<string, Observed<string>>
  readonly github: {
    readonly runners: Observed<readonly Fields[]>
    readonly queuedJobs: Observed<readonly Fields[]>
    /** Jobs fetched one by one. */
    readonly jobs: Observed<readonly Fields[]>
    readonly rateLimit: Observed<Fields>
    /** Of the jobs fetched one by one. Absent if not requested. */
    readonly annotations?: Observed<readonly JobAnnotations[]>
  }
  readonly gitlab: {
    readonly config: Observed<string>
    readonly runners: Observed<readonly Fields[]>
    /** The membership of the token's owner in the group. Absent if not requested. */
    readonly tokenOwner?: Observed<Fields>
  }
  readonly fleetFile: Observed<FleetFile>
  /** Job logs from GitHub. Absent if not requested. */
  readonly jobLogs?: Observed<readonly JobLogExcerpt[]>
  /** Results of probe pods. Absent if not requested. */
  readonly probes?: Observed<readonly ProbeAnswer[]>
  /** The time that each source covers, by name: outside it the source was not observing. */
  readonly coverage?: ReadonlyMap<string, Coverage>
  /** Parts of a source that could not be read while the rest could. */
  readonly gaps?: readonly SourceGap[]
  /** Remarks about sources that could be read, by name. */
  readonly remarks?: ReadonlyMap<string, string>
}

/** By its full name: `logs/<namespace>/<pod>/<container>`, `host/<host>`. */
export type SourceGap = { readonly source: string; readonly reason: BlindReason }

/** A container's log: the time it covers, and the lines that an audit may need. */
export type LogExcerpt = LogName & {
  readonly firstAt: number | null
  /** Null also if the log is truncated: that does not prove silence. */
  readonly lastAt: number | null
  readonly lines: readonly ExcerptLine[]
  /** The last line of deploy/runner/vitals.sh; not among `lines`, or it would displace them. */
  readonly vitals?: ExcerptLine | null
}

export type JobAnnotations = { readonly job: number; readonly messages: readonly string[] }

export type JobLogExcerpt = { readonly job: number; readonly lines: readonly ExcerptLine[] }

export type ExcerptLine = { readonly at: number | null; readonly text: string }
