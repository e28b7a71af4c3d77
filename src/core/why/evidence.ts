import type { RecordedJob } from '#/core/github/recorded-job.ts'
import type { AuditLogFacts } from '#/core/kubernetes/audit-log-facts.ts'
import type { EventFacts } from '#/core/kubernetes/event-facts.ts'
import type { NodeFacts } from '#/core/kubernetes/node-facts.ts'
import type { PodFacts } from '#/core/kubernetes/pod-facts.ts'
import type { Subject } from '#/core/evidence/subject.ts'
import type { Vitals } from '#/core/evidence/vitals.ts'
import type { Fact } from '#/core/why/fact.ts'
import type { SourceStates } from '#/core/why/source-state.ts'
import type { WorkflowJobFacts } from '#/core/github/workflow-job-facts.ts'

/** Everything that the sources show about one subject. A verdict is a pure function of it. */
export type Evidence = {
  /** When it was collected: ages count from here. */
  readonly now: number
  readonly subject: Subject
  /** The last seen object, or null if the API server has none or is blind. */
  readonly pod: PodFacts | null
  /** Another pod has this name now. */
  readonly hasSuccessor: boolean
  /** The other pods of the node. */
  readonly neighbours: readonly PodFacts[]
  readonly node: NodeFacts | null
  /** The list of nodes was read: a node that is missing from it is gone. */
  readonly isNodeListed: boolean | null
  readonly job: WorkflowJobFacts | null
  readonly events: readonly EventFacts[]
  readonly auditLog: readonly AuditLogFacts[]
  /** What the signatures found in logs, journal, events and annotations. */
  readonly clues: readonly Fact[]
  readonly log: LogExtent | null
  /** The containers of the pod whose logs were read, the runner's among them. */
  readonly loggedContainers: ReadonlySet<string>
  readonly vitals: readonly Vitals[]
  readonly cgroups: readonly CgroupFiles[]
  /** What the kubelet measured of its node, if its kernel and version count it. */
  readonly nodePressure: readonly NodePressure[]
  readonly host: ReadonlyMap<string, string>
  readonly boots: readonly BootExtent[]
  readonly ephemeralRunner: EphemeralRunnerFacts | null
  readonly rateLimit: { readonly remaining: number; readonly limit: number } | null
  readonly sources: SourceStates
}

export type LogExtent = {
  readonly source: string
  readonly firstAt: number | null
  readonly lastAt: number | null
  readonly lines: number
  /** The log begins with the first lines of a runner: nothing is cut off at the start. */
  readonly isFromStart: boolean
}

/** A null container is the runner's; `_pod` is the whole pod. */
export type CgroupFiles = { readonly container: string | null; readonly files: ReadonlyMap<string, string> }

/** All tasks of the node waited for it, in percent of the last minutes. */
export type NodePressure = { readonly what: string; readonly percent: number; readonly at: number | null }

export type BootExtent = { readonly id: string; readonly from: number; readonly to: number }

export type EphemeralRunnerFacts = {
  readonly phase: string | null
  readonly reason: string | null
  readonly message: string | null
  readonly job: RecordedJob | null
  readonly failures: number
}
