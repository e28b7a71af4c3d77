import { none } from '#/core/basics/observed.ts'
import type { Observed } from '#/core/basics/observed.ts'
import type { PodLog } from '#/ports/node-agents.ts'
import { goneLog, readLog, toTailRequest } from '#/runtime/collect/pods/container-logs.ts'
import type { LogReading } from '#/runtime/collect/pods/container-logs.ts'
import { planContainers } from '#/runtime/collect/request/targets.ts'
import type { ContainerPlan } from '#/runtime/collect/request/targets.ts'
import { addHeldLog, agentLogs, askForCounters, awaitAgent, findAgent, saysMore } from './ask-agent.ts'
import { pickRunnerContainer } from './draft.ts'
import type { Draft } from './draft.ts'
import type { EndedPod } from './ended-pod.ts'
import { buildMeans } from './enrich-ports.ts'
import type { EnrichPorts } from './enrich-ports.ts'
import { podWithName } from './pod-with-name.ts'
import { late, readSource } from './read-source.ts'

/** A node that hangs answers nothing: the limit of its agent's answer is shorter. */
const NODE_MS = 60_000

/** What the node would soon lose: counters, and the logs that go with the pod. */
export async function saveFromNode(
  draft: Draft,
  pod: EndedPod,
  ports: EnrichPorts,
  signal: AbortSignal,
): Promise<void> {
  await untilAgent(ports, pod, signal)
  await readNode(draft, pod, { ports, signal }, async (own, limited) => {
    const agent = findAgent(ports.agents, pod)
    if (agent !== null) await askForCounters(own, pod, agent, buildMeans(own, ports, limited))
    await addLogs(own, pod, {
      ports,
      signal: limited,
      held: agentLogs(agent, pod, { tailBytes: ports.logBytes, signal: limited }),
    })
  })
}

/** What the kubelet serves while the pod exists, for a death whose agent is still awaited: the pod may go first. */
export async function saveServedLogs(draft: Draft, pod: EndedPod, asking: Asking): Promise<void> {
  const held = async (): Promise<Observed<readonly PodLog[]>> => none()
  await readNode(draft, pod, asking, (own, limited) => addLogs(own, pod, { ...asking, signal: limited, held }))
}

async function readNode(
  draft: Draft,
  pod: EndedPod,
  { ports, signal }: Asking,
  read: (own: Draft, limited: AbortSignal) => Promise<void>,
): Promise<void> {
  const { node } = pod.facts
  const order = {
    sources: ['cgroup'],
    lane: ports.lanes.node,
    key: node ?? '',
    waitingFor: { kind: 'node', what: `logs and counters of node ${node}` },
    mostMs: NODE_MS,
    late: late(`node ${node}`),
  } as const
  await readSource(draft, order, { pod, progress: ports.progress, clock: ports.clock, signal }, read)
}

type Asking = { readonly ports: EnrichPorts; readonly signal: AbortSignal }

type Logs = Asking & { readonly held: () => Promise<Observed<readonly PodLog[]>> }

/** From the kubelet while the pod exists; otherwise from the files that the agent keeps. */
export async function addLogs(draft: Draft, pod: EndedPod, logs: Logs): Promise<void> {
  const own = pickRunnerContainer(pod)
  const served = await servedLogs(pod, logs)
  for (const container of planContainers(pod.object)) {
    const reading = served?.get(container.name)
    if (reading !== undefined && addLog(draft, { pod, container }, reading)) continue
    const held = await logs.held()
    const hasMore = held.kind === 'seen' && addHeldLog(draft, pod, { container, held: held.value })
    if (served !== null || hasMore || container.name === own) continue
    draft.answers.blind(logSource(pod, container), goneLog(pod.facts.name))
  }
}

/**
 * The kubelet's logs, by container. Null where the pod is gone: logs are requested by pod name, so only a check afterwards
 * shows that they are not those of a new pod with the same name.
 */
async function servedLogs(pod: EndedPod, asking: Asking): Promise<ReadonlyMap<string, LogReading> | null> {
  if (pod.isGone) return null
  const served = new Map<string, LogReading>()
  for (const container of planContainers(pod.object)) {
    served.set(container.name, await servedLog({ pod, container }, asking))
  }
  return (await podWithName(asking.ports.kubernetes, pod, asking.signal)) === 'other' ? null : served
}

type LogOf = { readonly pod: EndedPod; readonly container: ContainerPlan }

function servedLog({ pod, container }: LogOf, { ports, signal }: Asking): Promise<LogReading> {
  const { namespace, name, containers } = pod.facts
  const state = containers.find((one) => one.name === container.name)?.state
  const startedAt = state?.kind === 'terminated' || state?.kind === 'running' ? state.startedAt : null
  return readLog({ namespace, pod: name, container, startedAt }, (request) =>
    ports.kubernetes.logTail({ ...request, ...toTailRequest(ports.logBytes) }, signal),
  )
}

/** False where the kubelet no longer has it. */
function addLog(draft: Draft, { pod, container }: LogOf, { files, answer }: LogReading): boolean {
  for (const file of files) if (saysMore(file, draft)) draft.files.set(file.path, file)
  const source = logSource(pod, container)
  if (answer.kind === 'looked') draft.answers.looked(source, { from: answer.from, remark: answer.remark })
  else draft.answers.blindUnlessLooked(source, answer.reason)
  return answer.kind === 'looked'
}

function logSource({ facts: { namespace, name } }: EndedPod, container: ContainerPlan): string {
  return `logs/${namespace}/${name}/${container.name}`
}

/** An agent that is away may come back; it holds no place of the node meanwhile. */
export async function untilAgent(ports: EnrichPorts, pod: EndedPod, signal: AbortSignal): Promise<void> {
  const { clock, agents, mayAgentsReturn, agentsBackMs: backMs, progress } = ports
  await progress.during(pod.uid, { kind: 'agent', what: `the agent of node ${pod.facts.node}` }, () =>
    awaitAgent(agents, pod, { clock, mayAgentsReturn, backMs, signal }),
  )
}
