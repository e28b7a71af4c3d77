import type { Lines } from '#/core/evidence/bundle-lines.ts'
import type { BundleMeta, Coverage } from '#/core/evidence/bundle-meta.ts'
import type { CgroupName, LogName } from '#/core/evidence/bundle-path.ts'
import type { BundleResource } from '#/core/evidence/bundle-source.ts'
import type { Observed } from '#/core/basics/observed.ts'
import type { JournalReading, JournalWindow } from '#/ports/journal.ts'

/** An object as the original tool printed it. */
export type JsonObject = Readonly<Record<string, unknown>>

/** An object of a Kubernetes List. Of the rest only what is read is checked, by who reads it. */
export type BundleObject = JsonObject & { readonly metadata: JsonObject & { readonly name: string } }

/**
 * An opened evidence bundle. Files are read when they are asked for. A source that `meta.json` calls blind is blind even
 * where a file exists; a source without a file is unknown, whatever `meta.json` says.
 */
export type Bundle = AsyncDisposable & {
  readonly meta: BundleMeta
  /** Every file in the bundle, sorted. */
  readonly paths: readonly string[]
  /** The time that a source covers, or null where `meta.json` does not say that it looked. */
  readonly coverage: (source: string) => Coverage | null

  readonly list: (resource: BundleResource) => Promise<Observed<readonly BundleObject[]>>
  readonly stats: (node: string) => Promise<Observed<JsonObject>>
  readonly configz: (node: string) => Promise<Observed<JsonObject>>
  readonly auditLog: () => Promise<Observed<Lines<JsonObject>>>

  readonly logs: () => Observed<readonly LogName[]>
  readonly log: (name: LogName) => Promise<Observed<string>>
  readonly journals: () => Observed<readonly string[]>
  readonly journal: (node: string, window: JournalWindow) => Promise<Observed<JournalReading>>
  /** The files of one cgroup, by name. */
  readonly cgroup: (name: CgroupName) => Promise<Observed<ReadonlyMap<string, string>>>
  readonly processes: (namespace: string, pod: string) => Promise<Observed<string>>
  readonly hosts: () => Observed<readonly string[]>
  readonly hostFile: (host: string, name: string) => Promise<Observed<string>>

  readonly githubJobs: () => Observed<readonly number[]>
  readonly githubJob: (id: number) => Promise<Observed<JsonObject>>
  readonly githubRun: (id: number) => Promise<Observed<JsonObject>>
  readonly githubAnnotations: (jobId: number) => Promise<Observed<readonly JsonObject[]>>
  readonly githubLog: (jobId: number) => Promise<Observed<string>>
  readonly githubRunners: () => Promise<Observed<readonly JsonObject[]>>
  readonly githubQueuedJobs: () => Promise<Observed<readonly JsonObject[]>>
  readonly githubRateLimit: () => Promise<Observed<JsonObject>>
  readonly gitlabConfig: () => Promise<Observed<string>>
  readonly gitlabRunners: () => Promise<Observed<readonly JsonObject[]>>
  readonly gitlabTokenOwner: () => Promise<Observed<JsonObject>>
  /** The document as parsed; its schema is the fleet's matter. */
  readonly fleet: () => Promise<Observed<JsonObject>>
}

export type BundleOpening =
  | { readonly kind: 'opened'; readonly bundle: Bundle }
  | { readonly kind: 'refused'; readonly why: string }

export type BundleLimits = {
  /** A larger file is blind; the others are read. */
  readonly fileBytes: number
  /** The same for a List of Kubernetes: its items are read one after the other, so its text never has to be in memory. */
  readonly listBytes: number
  /** A bundle with more than this, unpacked, is refused. */
  readonly totalBytes: number
  readonly files: number
}

export type BundleFile = { readonly path: string; readonly content: string | Uint8Array | AsyncIterable<Uint8Array> }

export type BundleDraft = {
  readonly files: Iterable<BundleFile> | AsyncIterable<BundleFile>
  /** Asked for when all files are written, because only then is known what each source gave. */
  readonly meta: () => BundleMeta
}

export type BundleWriting =
  | { readonly kind: 'written'; readonly path: string; readonly files: number; readonly bytes: number }
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'stopped' }
