import type { BlindReason, Observed } from '#/core/basics/observed.ts'
import type { KubeObject, Trim } from './kubernetes-object.ts'
import type { Resource } from './kubernetes-resources.ts'

/**
 * A cluster. Nothing here throws for what the world does: a read is `seen`, `none` or `blind`, a write has an outcome
 * with a name.
 */
export type Kubernetes = {
  /** All pages at one version, or blind. `none`: the server looked and there is no such object. */
  readonly list: (request: ListRequest, signal: AbortSignal) => Promise<Observed<ObjectList>>
  /** `none`: the server knows the kind and has no object of this name. */
  readonly get: (request: GetRequest, signal: AbortSignal) => Promise<Observed<KubeObject>>
  /** Goes on until the signal aborts or the reader leaves the loop, whatever the world does meanwhile. */
  readonly watch: (request: ListRequest, signal: AbortSignal) => AsyncIterable<WatchEvent>
  readonly create: (request: CreateRequest, signal: AbortSignal) => Promise<WriteOutcome>
  readonly patch: (request: PatchRequest, signal: AbortSignal) => Promise<WriteOutcome>
  readonly delete: (request: DeleteRequest, signal: AbortSignal) => Promise<WriteOutcome>
  /** `refused`: a disruption budget does not allow it now. */
  readonly evict: (request: EvictRequest, signal: AbortSignal) => Promise<WriteOutcome>
  /** The end of a log. `none`: the container has written nothing, or has not begun. */
  readonly logTail: (request: LogTailRequest, signal: AbortSignal) => Promise<Observed<LogTail>>
  /** The lines as they are written, over broken connections, until the container has ended or its pod is gone. */
  readonly followLog: (request: LogRequest, signal: AbortSignal) => AsyncIterable<LogEvent>
  /** Any path that is read by GET: `/readyz`, `/version`, `/api/v1/nodes/NAME/proxy/stats/summary`. */
  readonly raw: (path: string, signal: AbortSignal) => Promise<Observed<RawAnswer>>
  readonly reviewToken: (request: TokenReviewRequest, signal: AbortSignal) => Promise<Observed<TokenVerdict>>
  readonly canI: (request: AccessRequest, signal: AbortSignal) => Promise<Observed<AccessVerdict>>
}

export type ListRequest = {
  readonly resource: Resource
  /** All namespaces without it. */
  readonly namespace?: string
  readonly labelSelector?: string
  readonly fieldSelector?: string
  /** Default: `withoutBulk`. */
  readonly trim?: Trim
  /** Objects on a page, for kinds whose objects are so large that the usual number is too much for one answer. */
  readonly pageSize?: number
}

export type ObjectList = { readonly items: readonly KubeObject[]; readonly resourceVersion: string }

export type ObjectRef = { readonly resource: Resource; readonly namespace?: string; readonly name: string }

export type GetRequest = ObjectRef & { readonly trim?: Trim }

export type WatchEvent =
  /**
   * The first event, and again after the server has forgotten where we were. `vanished`: what was there when we last
   * looked and is not any more, each as it was last seen.
   */
  | {
      readonly kind: 'listed'
      readonly items: readonly KubeObject[]
      readonly vanished: readonly KubeObject[]
      readonly resourceVersion: string
    }
  | { readonly kind: 'added' | 'modified'; readonly object: KubeObject }
  /** With its last state. Under a selector: deleted, or it no longer fits the selector; `get` shows which. */
  | { readonly kind: 'deleted'; readonly object: KubeObject }
  /**
   * The watch is open: every change after this version is reported, until the next `blind`. After a gap that is the
   * version from before it, and what happened meanwhile follows; only `get` shows whether an object exists now.
   */
  | { readonly kind: 'caught-up'; readonly resourceVersion: string }
  /** We are not looking now. A `caught-up` comes when we are again, after a `listed` where the server forgot the place. */
  | { readonly kind: 'blind'; readonly reason: BlindReason }

/** The object must still be this one, and at this version where it is given; the server checks it. */
export type Preconditions = { readonly uid: string; readonly resourceVersion?: string }

export type CreateRequest = {
  readonly resource: Resource
  readonly namespace?: string
  readonly object: Readonly<Record<string, unknown>>
}

export type PatchRequest = ObjectRef & {
  readonly subresource?: string
  readonly preconditions?: Preconditions
  readonly patch: Patch
}

export type Patch =
  | {
      readonly kind: 'apply'
      readonly fieldManager: string
      readonly force: boolean
      readonly object: Readonly<Record<string, unknown>>
    }
  | { readonly kind: 'merge'; readonly changes: Readonly<Record<string, unknown>> }
  | { readonly kind: 'json'; readonly operations: readonly JsonPatchOperation[] }

export type JsonPatchOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string }

export type DeleteRequest = ObjectRef & {
  readonly preconditions: Preconditions
  /** The object's own without it; 0 does not wait for the node. */
  readonly gracePeriodSeconds?: number
  readonly propagation?: 'Background' | 'Foreground' | 'Orphan'
}

export type EvictRequest = {
  readonly namespace: string
  readonly pod: string
  readonly preconditions: Preconditions
  readonly gracePeriodSeconds?: number
}

export type WriteOutcome =
  /** The object after the write; null where the server gave none, as for a deletion that was carried out at once. */
  | { readonly kind: 'done'; readonly object: KubeObject | null }
  /** `exists`: the name is taken. `changed`: a precondition, a version or another field manager stands against it. */
  | { readonly kind: 'conflict'; readonly why: 'exists' | 'changed'; readonly message: string }
  /** The object (or, for a create, its namespace or kind) is not there. */
  | { readonly kind: 'gone' }
  | { readonly kind: 'forbidden'; readonly message: string }
  /** Understood and declined: invalid, or a disruption budget. */
  | { readonly kind: 'refused'; readonly message: string }
  /** No such statement by the server. `applied`: whether the write may have happened all the same. */
  | { readonly kind: 'blind'; readonly reason: BlindReason; readonly applied: 'no' | 'unknown' }

export type LogRequest = {
  readonly namespace: string
  readonly pod: string
  readonly container: string
  /** Milliseconds since the epoch; the server rounds down to seconds. */
  readonly since?: number
}

export type LogTailRequest = LogRequest & {
  /** Of the container's incarnation before this one. */
  readonly previous?: boolean
  readonly tailLines: number
  readonly tailBytes: number
}

export type LogTail = {
  /** Each line begins with the time of its writing, as the node recorded it. */
  readonly text: string
  /** There was more before it, or may have been: all the lines that were asked for came. */
  readonly cut: boolean
}

export type LogEvent =
  /** `at` is the node's time of writing (RFC 3339, nanoseconds). `cut`: the line was longer than is kept. */
  | { readonly kind: 'line'; readonly at: string; readonly text: string; readonly cut: boolean }
  | { readonly kind: 'blind'; readonly reason: BlindReason }
  /** The last event: the container has ended, or its pod is gone. */
  | { readonly kind: 'ended'; readonly why: 'container-ended' | 'pod-gone' }

export type RawAnswer = { readonly contentType: string; readonly text: string }

export type TokenReviewRequest = { readonly token: string; readonly audience: string }

export type TokenVerdict =
  | {
      readonly kind: 'valid'
      readonly username: string
      readonly groups: readonly string[]
      /** The pod that the token is bound to; null for one that is bound to none. */
      readonly pod: { readonly name: string; readonly uid: string } | null
    }
  | { readonly kind: 'invalid'; readonly message: string }

export type AccessRequest =
  | {
      readonly verb: string
      readonly resource: Resource
      readonly subresource?: string
      readonly namespace?: string
      readonly name?: string
    }
  | { readonly verb: string; readonly path: string }

export type AccessVerdict = { readonly allowed: boolean; readonly reason: string }
