import type { Observed } from '#/core/basics/observed.ts'
import type { FleetFile } from '#/core/fleet-file/fleet-file.ts'
import type { SubjectArgument } from '#/core/evidence/subject-argument.ts'
import type { AuditLog } from '#/ports/audit-log.ts'
import type { JsonObject } from '#/ports/bundle.ts'
import type { Clock } from '#/ports/clock.ts'
import type { GitHub } from '#/ports/github.ts'
import type { GitLab } from '#/ports/gitlab.ts'
import type { Kubernetes } from '#/ports/kubernetes.ts'
import type { LogStore } from '#/ports/log-store.ts'
import type { ThisHost } from '#/ports/this-host.ts'
import type { Answers } from './answers.ts'

/** What evidence is wanted of, and through what it can be had. A port that is null was not given. */
export type CollectRequest = {
  /** Null: the fleet as it is, without a subject. */
  readonly subject: SubjectArgument | null
  readonly places: Places
  readonly window: WindowWish
  /** Of the end of each container's log. */
  readonly logBytes: number
  readonly lastSeen: LastSeen | null
  readonly fleet: FleetWish
  readonly kubernetes: Kubernetes | null
  readonly github: GitHub | null
  /** Null: GitLab is never called. */
  readonly gitlab: { readonly api: GitLab; readonly group: string | null } | null
  /** The GitHub that is asked, by the address of its API. */
  readonly githubUrl: string
  /** This machine is that node. */
  readonly thisNode: { readonly name: string; readonly host: ThisHost } | null
  /** The hosts that agents serve, through the server; null where nobody asks for them. */
  readonly hosts: ReadHosts | null
  /** Where journals and logs are kept; null where nothing is. */
  readonly logStore: LogStore | null
  readonly audit: AuditLog | null
  readonly clock: Clock
  /** One line on what is being read. */
  readonly progress: (label: string) => void
  readonly signal: AbortSignal
}

/** The files of each node, by name. A node that could not be read has no files and says why. */
export type HostFiles = {
  readonly node: string
  readonly files: ReadonlyMap<string, string>
  readonly unread: readonly string[]
}
export type ReadHosts = (signal: AbortSignal) => Promise<Observed<readonly HostFiles[]>>

export type Places = {
  /** Where lists are read that may not be read over all namespaces, the first before the others. */
  readonly namespaces: readonly string[]
  /** The subject is in one of the namespaces and nowhere else. */
  readonly isInsideOnly: boolean
  /** `owner/name`: where a job is looked for that is named by its number alone. */
  readonly repositories: readonly string[]
  /** Organisations whose runners are meant. */
  readonly organizations: readonly string[]
}

/** For the fleet as it is: what of it is wanted, and what somebody gives in files. */
export type FleetWish = {
  /** Names of sources as in docs/contracts/bundle.md; one node's with its name behind. Null: all. */
  readonly wanted: ReadonlySet<string> | null
  /** NAMESPACE/NAME of the runners whose logs are wanted; null: of all. Lists are always whole, because absence is a proof. */
  readonly runners?: ReadonlySet<string> | null
  readonly declared: { readonly text: string; readonly file: FleetFile } | null
  readonly githubRunners: SavedRunners | null
  readonly gitlabConfig: string | null
  /** JSON, as GitLab gave it. */
  readonly gitlabRunners: string | null
}

export const WHOLE_FLEET: FleetWish = {
  wanted: null,
  declared: null,
  githubRunners: null,
  gitlabConfig: null,
  gitlabRunners: null,
}

/** GitHub's list of runners as somebody saved it, and when that was. */
export type SavedRunners = {
  readonly rows: readonly JsonObject[]
  /** GitHub's own count; null if it gave none. */
  readonly total: number | null
  readonly at: number
}

/** Milliseconds since the epoch. Null: from before the runner's start, and until now. */
export type WindowWish = { readonly since: number | null; readonly until: number | null }

/** A pod as somebody kept it, for the case that the API server has it no more. */
export type LastSeen = { readonly pod: JsonObject; readonly at: number }

/** What every step of a collection has at hand. */
export type Means = { readonly request: CollectRequest; readonly answers: Answers }

/** There is no subject. */
export function isFleet({ subject, lastSeen }: Pick<CollectRequest, 'subject' | 'lastSeen'>): boolean {
  return subject === null && lastSeen === null
}
