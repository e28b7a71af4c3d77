import type { BundleMeta } from '#/core/evidence/bundle-meta.ts'
import { bundlePath } from '#/core/evidence/bundle-path.ts'
import { blind, none } from '#/core/basics/observed.ts'
import type { Blind, Observed } from '#/core/basics/observed.ts'
import type { BundleFile } from '#/ports/bundle.ts'
import type { Clock } from '#/ports/clock.ts'
import type { LogTail } from '#/ports/kubernetes.ts'
import type { NodeAgent, NodeAgents, PodLog, WatchedPod } from '#/ports/node-agents.ts'
import type { ThisHost } from '#/ports/this-host.ts'
import { createAnswers } from '#/runtime/collect/request/answers.ts'
import { judgeLogs } from '#/runtime/collect/pods/container-logs.ts'
import { gatherCgroups, gatherHost, gatherJournal } from '#/runtime/collect/sources/host-evidence.ts'
import type { Means } from '#/runtime/collect/request/request.ts'
import { planContainers } from '#/runtime/collect/request/targets.ts'
import type { ContainerPlan } from '#/runtime/collect/request/targets.ts'
import { chooseWindow } from '#/runtime/collect/request/window.ts'
import type { Window } from '#/runtime/collect/request/window.ts'
import { countLeft } from './counted-wait.ts'
import { hasLooked, lengthOf } from './draft.ts'
import type { Draft } from './draft.ts'
import type { EndedPod } from './ended-pod.ts'
import type { EnrichPorts } from './enrich-ports.ts'
import type { TrackedPod } from './watching/tracked-pods.ts'

/** The agent of the pod's node; null where the pod was on no node, or agents are not served. */
export function findAgent(agents: NodeAgents | undefined, { facts: { node } }: EndedPod): NodeAgent | Blind | null {
  if (node === null) return null
  if (agents === undefined) return blind('not-asked', `no agent serves ${node}`)
  const agent = agents.of(node)
  return 'kind' in agent ? agent : askedUntilSilent(agent)
}

/** An agent that timed out once is not asked again: the other sources share the same time limit. */
function askedUntilSilent(agent: NodeAgent): NodeAgent {
  let silence: Blind | null = null
  const unlessSilent = async <T extends { readonly kind: string }>(
    ask: () => Promise<T | Blind>,
  ): Promise<T | Blind> => {
    if (silence !== null) return silence
    const answer = await ask()
    if (isSilence(answer)) silence = answer
    return answer
  }
  return {
    journal: (window, signal) => unlessSilent(() => agent.journal(window, signal)),
    file: (name, signal) => unlessSilent(() => agent.file(name, signal)),
    cgroups: (pod, signal) => unlessSilent(() => agent.cgroups(pod, signal)),
    logs: (request, signal) => unlessSilent(() => agent.logs(request, signal)),
  }
}

function isSilence(answer: { readonly kind: string } | Blind): answer is Blind {
  return 'reason' in answer && (answer.reason.code === 'timeout' || answer.reason.code === 'unreachable')
}

const LOOK_AGAIN_MS = 250

/**
 * An agent that is away may come back: after our start, and after its own, as in a mass incident that also stopped it.
 * Until then its absence proves nothing. Where no agent ever served the node, only our start is waited for.
 */
export async function awaitAgent(agents: NodeAgents | undefined, pod: EndedPod, wait: AgentWait): Promise<void> {
  const { clock, signal } = wait
  const isAwaited = (leftMs: number): boolean => isAgentAwaited(agents, pod, { ...wait, leftMs })
  const mostMs = countLeft(wait.backMs, pod.foundAt, clock)
  for (let leftMs = mostMs; isAwaited(leftMs) && !signal.aborted; leftMs -= LOOK_AGAIN_MS) {
    await clock.sleep(LOOK_AGAIN_MS, signal)
  }
}

/** `leftMs`: of the time that an agent has to come back after a death. */
function isAgentAwaited(
  agents: NodeAgents | undefined,
  { facts: { node } }: EndedPod,
  { mayAgentsReturn, leftMs }: Pick<AgentWait, 'mayAgentsReturn'> & { readonly leftMs: number },
): boolean {
  if (agents === undefined || node === null) return false
  const agent = agents.of(node)
  if (!('kind' in agent)) return false
  return mayAgentsReturn() || (agent.reason.code === 'unreachable' && leftMs > 0)
}

/** Whether a death has to wait for its agent now. */
export function mustAwaitAgent({ agents, clock, mayAgentsReturn, agentsBackMs }: EnrichPorts, pod: EndedPod): boolean {
  return isAgentAwaited(agents, pod, { mayAgentsReturn, leftMs: countLeft(agentsBackMs, pod.foundAt, clock) })
}

export type AgentWait = {
  /** After our start. */
  readonly mayAgentsReturn: () => boolean
  /** After the death. */
  readonly backMs: number
  readonly clock: Clock
  readonly signal: AbortSignal
}

/** The counters, which the kernel removes first. */
export async function askForCounters(
  draft: Draft,
  pod: EndedPod,
  agent: NodeAgent | Blind,
  means: Means,
): Promise<void> {
  const { node } = pod.facts
  if (node === null || hasLooked(draft, 'cgroup')) return
  if ('kind' in agent) return draft.answers.blind('cgroup', agent.reason)
  await into(draft, gatherCgroups(onNode(means, node, agent), toTarget(pod, node)))
}

/** The journal around the death. Others ask at the same moment, and the agent reads it once. */
export async function askForJournal(
  draft: Draft,
  pod: EndedPod,
  agent: NodeAgent | Blind,
  means: Means,
): Promise<void> {
  const { node } = pod.facts
  if (node === null || hasLooked(draft, `journal/${node}`)) return
  if ('kind' in agent) return draft.answers.blind(`journal/${node}`, agent.reason)
  const asked = onNode(means, node, { ...agent, journal: aboutDeath(agent, pod) })
  await into(draft, gatherJournal(asked, journalWindow(pod, means.request.clock.now())))
}

function aboutDeath(agent: NodeAgent, { uid, facts, diedAt }: EndedPod): NodeAgent['journal'] {
  const containerIds = facts.containers.flatMap(({ id }) => id ?? [])
  return (window, signal) => agent.journal({ ...window, about: { uid, containerIds, at: diedAt } }, signal)
}

export type HostReading = { readonly files: readonly BundleFile[]; readonly sources: BundleMeta['sources'] }

/** The files of the machine: the same for all deaths of a burst. */
export async function readHost(agent: NodeAgent | Blind, node: string, means: Means): Promise<HostReading> {
  const answers = createAnswers()
  const files: BundleFile[] = []
  if ('kind' in agent) answers.blind(`host/${node}`, agent.reason)
  else for await (const file of gatherHost({ ...onNode(means, node, agent), answers })) files.push(file)
  return { files, sources: answers.sources() }
}

function onNode(means: Means, name: string, host: ThisHost): Means {
  return { ...means, request: { ...means.request, thisNode: { name, host } } }
}

/** Whole: what a source covers is known when it has been read. */
export async function into(draft: Draft, gathering: AsyncGenerator<BundleFile>): Promise<void> {
  for await (const { path, content } of gathering) {
    const isWhole = typeof content === 'string' || content instanceof Uint8Array
    draft.files.set(path, { path, content: isWhole ? content : await readWhole(content) })
  }
}

async function readWhole(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const read: Uint8Array[] = []
  for await (const chunk of chunks) read.push(chunk)
  return Buffer.concat(read)
}

function toTarget({ uid, object, facts }: EndedPod, node: string): Parameters<typeof gatherCgroups>[1] {
  const { namespace, name } = facts
  const nobodys = { runner: null, jobId: null, runId: null, isJobAsked: false, containerIds: [] }
  const subject = { namespace, pod: name, uid, node, ...nobodys }
  return { subject, pod: facts, isLive: false, containers: planContainers(object) }
}

const LONGEST_MS = 3_600_000

/** The window of `collect`, but at most an hour: a runner that ran for days must not store days of its node's journal. */
export function journalWindow({ facts, diedAt }: EndedPod, now: number): Window {
  const { from } = chooseWindow({ since: null, until: null }, [facts.startedAt, facts.createdAt], now)
  return { from: Math.max(from, diedAt - LONGEST_MS), to: null }
}

/** The log files that the node's agent keeps; requested once, and only when needed. */
export function agentLogs(
  agent: NodeAgent | Blind | null,
  { uid }: EndedPod,
  { tailBytes, signal }: { readonly tailBytes: number; readonly signal: AbortSignal },
): () => Promise<Observed<readonly PodLog[]>> {
  let asked: Promise<Observed<readonly PodLog[]>> | null = null
  if (agent === null) return async () => none()
  if ('kind' in agent) return async () => agent
  return () => (asked ??= agent.logs({ uid, tailBytes }, signal))
}

/** Adds the agent's log of one container. False where the agent has none. */
export function addHeldLog(
  draft: Draft,
  { facts }: EndedPod,
  { container, held }: { readonly container: ContainerPlan; readonly held: readonly PodLog[] },
): boolean {
  const { namespace, name: pod } = facts
  const pickTail = (previous: boolean): LogTail | null =>
    held.find((log) => log.container === container.name && log.previous === previous) ?? null
  const [current, before] = [pickTail(false), pickTail(true)]
  if (current === null) return false
  const heard: Observed<LogTail> = current.text === '' ? none() : { kind: 'seen', value: current }
  for (const [tail, previous] of [[current, false] as const, [before, true] as const]) {
    const path = bundlePath.log({ namespace, pod, container: container.name, previous })
    if (tail === null) continue
    const file = { path, content: tail.text }
    if (!saysMore(file, draft)) return true
    draft.files.set(path, file)
  }
  const state = facts.containers.find(({ name }) => name === container.name)?.state
  const startedAt = state?.kind === 'running' || state?.kind === 'terminated' ? state.startedAt : null
  const answer = judgeLogs(heard, null, { startedAt })
  if (answer.kind === 'blind') return false
  const remark = ['from the file that the agent kept', answer.remark].filter((text) => text !== null).join('; ')
  draft.answers.looked(`logs/${namespace}/${pod}/${container.name}`, { from: answer.from, remark })
  return true
}

/** A failing node may return less than the log follower already has. */
export function saysMore({ path, content }: BundleFile, draft: Draft): boolean {
  return (typeof content === 'string' ? content.length : 0) >= lengthOf(draft, path)
}

/** The pods per node, so that the agents keep their files open. */
export function* onNodes(pods: Iterable<TrackedPod>): Generator<WatchedPod> {
  for (const { uid, facts } of pods) {
    if (facts.node === null) continue
    const containers = facts.containers.flatMap(({ name, id }) => (id === null ? [] : [{ name, id }]))
    yield { node: facts.node, uid, containers }
  }
}
