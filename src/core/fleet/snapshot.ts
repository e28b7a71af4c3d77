import type { Coverage } from '#/core/evidence/bundle-meta.ts'
import type { BundleResource } from '#/core/evidence/bundle-source.ts'
import type { LogName } from '#/core/evidence/bundle-path.ts'
import type { Fields } from '#/core/basics/fields.ts'
import type { FleetFile } from '#/core/fleet-file/fleet-file.ts'
import type { ProbeAnswer } from './probe-answer.ts'
import type { Digest } from '#/core/redaction/redaction-secret.ts'
import type { BlindReason, Observed } from '#/core/basics/observed.ts'

/** A fleet as its sources told it, live or from a bundle. Only what the audits at hand read is in it. */
export type Snapshot = {
  /** "Now" for everything that is judged. */
  readonly now: number
  /** SHA-256, to compare values with those that `collect` wrote as digests. */
  readonly digest: Digest
  readonly lists: ReadonlyMap<BundleResource, Observed<readonly Fields[]>>
  /** By node. */
  readonly stats: ReadonlyMap<string, Observed<Fields>>
  readonly configz: ReadonlyMap<string, Observed<Fields>>
  readonly audit: Observed<readonly Fields[]>
  readonly logs: Observed<readonly LogExcerpt[]>
  /** Files of the hosts, by host and name (`proc/sys/fs/file-nr`). */
  readonly hosts: Observed<ReadonlyMap<string, ReadonlyMap<string, string>>>
  readonly github: {
    readonly runners: Observed<readonly Fields[]>
    readonly queuedJobs: Observed<readonly Fields[]>
    /** Jobs that were fetched one by one. */
    readonly jobs: Observed<readonly Fields[]>
    readonly rateLimit: Observed<Fields>
  }
  readonly gitlab: { readonly config: Observed<string>; readonly runners: Observed<readonly Fields[]> }
  readonly fleetFile: Observed<FleetFile>
  /** The logs of jobs, as GitHub keeps them. Without it nobody asked. */
  readonly jobLogs?: Observed<readonly JobLogExcerpt[]>
  /** What pods of our own told from inside the fleet. Without it nobody asked. */
  readonly probes?: Observed<readonly ProbeAnswer[]>
  /** The time that a source says it covers, by its name: outside it the source was not looking. */
  readonly coverage?: ReadonlyMap<string, Coverage>
  /** Parts of a source that could not be read while the rest of it stands. */
  readonly gaps?: readonly SourceGap[]
  /** What was remarked on a source that did answer, by its name. */
  readonly remarks?: ReadonlyMap<string, string>
}

/** By its longer name: `logs/<namespace>/<pod>/<container>`, `host/<host>`. */
export type SourceGap = { readonly source: string; readonly reason: BlindReason }

/** Of a container's log: the time that it covers, and the lines in which an audit may be interested. */
export type LogExcerpt = LogName & {
  readonly firstAt: number | null
  /** Null also where the log is cut: who is cut off is not silent. */
  readonly lastAt: number | null
  readonly lines: readonly ExcerptLine[]
}

export type JobLogExcerpt = { readonly job: number; readonly lines: readonly ExcerptLine[] }

export type ExcerptLine = { readonly at: number | null; readonly text: string }
