import { blind } from '#/core/basics/observed.ts'
import type { Observed } from '#/core/basics/observed.ts'
import type { AuditLog } from '#/ports/audit-log.ts'
import type { Clock } from '#/ports/clock.ts'
import type { GitHub } from '#/ports/github.ts'
import type { Kubernetes } from '#/ports/kubernetes.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'
import type { LogStore } from '#/ports/log-store.ts'
import type { NodeAgents } from '#/ports/node-agents.ts'
import { WHOLE_FLEET } from '#/runtime/collect/request/request.ts'
import type { Means } from '#/runtime/collect/request/request.ts'
import { createAnswers } from '#/runtime/collect/request/answers.ts'
import { createSharedReads } from '#/runtime/queue/shared-reads.ts'
import type { SharedReads } from '#/runtime/queue/shared-reads.ts'
import { readHost } from './ask-agent.ts'
import type { HostReading } from './ask-agent.ts'
import type { Draft } from './draft.ts'
import type { DeathProgress } from './progress.ts'
import type { SourceLanes } from './read-source.ts'

export type EnrichPorts = {
  readonly kubernetes: Kubernetes
  readonly github: GitHub | null
  readonly githubUrl: string
  /** Where a job is searched that ARC's record does not name. */
  readonly repositories: readonly string[]
  readonly audit: AuditLog | null
  readonly clock: Clock
  readonly logBytes: number
  /** Absent where agents are not served. */
  readonly agents?: NodeAgents
  /** Where journals and logs of nodes without an agent are kept; absent where nothing is. */
  readonly logStore?: LogStore | null
  /** Whether an agent may still connect after our start. */
  readonly mayAgentsReturn: () => boolean
  /** Whether the API server may still resend audit events from before our start. */
  readonly mayAuditLogReturn: () => boolean
  /** How long after a death an agent that is away may come back. */
  readonly agentsBackMs: number
  readonly lanes: SourceLanes
  readonly shared: SharedSources
  readonly progress: DeathProgress
  /** ARC's last record of this pod's runner, even after ARC deleted it. */
  readonly lastRecord: (pod: KubeObject) => KubeObject | null
}

/** Node objects and files of the machines are the same for all deaths of a burst. */
export type SharedSources = {
  readonly nodes: SharedReads<Observed<KubeObject>>
  readonly hosts: SharedReads<HostReading>
}

const FRESH_MS = 1000
const READ_MS = 60_000

/** An answer is shared for less than the time in which an end settles, so that it is of after the end. */
export function shareSources({ kubernetes, agents, clock, ...ports }: SharedPorts, signal: AbortSignal): SharedSources {
  const fresh = { clock, freshMs: FRESH_MS }
  const inTime = (): AbortSignal => AbortSignal.any([signal, AbortSignal.timeout(READ_MS)])
  const nodes = createSharedReads((name) => kubernetes.get({ resource: RESOURCES.nodes, name }, inTime()), fresh)
  const hosts = createSharedReads((node) => {
    const agent = agents?.of(node) ?? blind('not-asked', `no agent serves ${node}`)
    const means = buildMeans({ answers: createAnswers() }, { kubernetes, clock, ...ports, logBytes: 0 }, inTime())
    return readHost(agent, node, means)
  }, fresh)
  return { nodes, hosts }
}

type SharedPorts = Omit<MeansPorts, 'logBytes'> & Pick<EnrichPorts, 'agents'>
type MeansPorts = Pick<
  EnrichPorts,
  'kubernetes' | 'github' | 'githubUrl' | 'repositories' | 'audit' | 'clock' | 'logBytes' | 'logStore'
>

export function buildMeans({ answers }: Pick<Draft, 'answers'>, ports: MeansPorts, signal: AbortSignal): Means {
  const { kubernetes, github, githubUrl, repositories, audit, clock, logBytes, logStore = null } = ports
  const given = { logBytes, kubernetes, github, githubUrl, audit, clock, signal, logStore }
  return {
    answers,
    request: {
      subject: null,
      places: { namespaces: [], isInsideOnly: false, repositories, organizations: [] },
      window: { since: null, until: null },
      lastSeen: null,
      fleet: WHOLE_FLEET,
      thisNode: null,
      gitlab: null,
      hosts: null,
      progress: () => {},
      ...given,
    },
  }
}
