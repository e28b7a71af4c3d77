import { bundlePath } from '#/core/evidence/bundle-path.ts'
import { blind, none } from '#/core/basics/observed.ts'
import type { Blind, Observed } from '#/core/basics/observed.ts'
import type { BundleFile } from '#/ports/bundle.ts'
import type { Clock } from '#/ports/clock.ts'
import type { LogTail } from '#/ports/kubernetes.ts'
import type { JournalWindow } from '#/ports/journal.ts'
import type { NodeAgent, NodeAgents, PodLog, WatchedPod } from '#/ports/node-agents.ts'
import type { ThisHost } from '#/ports/this-host.ts'
import { judgeLogs } from '#/runtime/collect/pods/container-logs.ts'
import { gatherCgroups, gatherHost, gatherJournal } from '#/runtime/collect/sources/host-evidence.ts'
import type { Means } from '#/runtime/collect/request/request.ts'
import { planContainers } from '#/runtime/collect/request/targets.ts'
import type { ContainerPlan } from '#/runtime/collect/request/targets.ts'
import { chooseWindow } from '#/runtime/collect/request/window.ts'
import type { Window } from '#/runtime/collect/request/window.ts'
import type { Draft } from './draft.ts'
import type { EndedPod } from './ended-pod.ts'
import type { TrackedPod } from './tracked-pods.ts'

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

/** An agent that has not connected since our start may still do so: until then its absence proves nothing. */
export async function awaitAgent(
  agents: NodeAgents | undefined,
  { facts: { node } }: EndedPod,
  { clock, until, signal }: { readonly clock: Clock; readonly until: number; readonly signal: AbortSignal },
): Promise<void> {
  if (agents === undefined || node === null) return
  while ('kind' in agents.of(node) && clock.now() < until && !signal.aborted) await clock.sleep(LOOK_AGAIN_MS, signal)
}

/** What only the node has; what is lost soonest comes first. */
export async function askAgent(draft: Draft, pod: EndedPod, agent: NodeAgent | Blind, means: Means): Promise<void> {
  const { node } = pod.facts
  if (node === null) return
  if ('kind' in agent) return sayBlind(draft, node, agent)
  const asked = { ...means, request: { ...means.request, thisNode: { name: node, host: unlessCut(agent, pod) } } }
  await into(draft, gatherCgroups(asked, toTarget(pod, node)))
  await into(draft, gatherJournal(asked, journalWindow(pod, means.request.clock.now())))
  await into(draft, gatherHost(asked))
}

function sayBlind({ answers }: Draft, node: string, { reason }: Blind): void {
  for (const source of [`journal/${node}`, `host/${node}`, 'cgroup']) answers.blind(source, reason)
}

async function into(draft: Draft, gathering: AsyncGenerator<BundleFile>): Promise<void> {
  for await (const file of gathering) draft.files.set(file.path, file)
}

function toTarget({ uid, object, facts }: EndedPod, node: string): Parameters<typeof gatherCgroups>[1] {
  const { namespace, name } = facts
  const nobodys = { runner: null, jobId: null, runId: null, isJobAsked: false, containerIds: [] }
  const subject = { namespace, pod: name, uid, node, ...nobodys }
  return { subject, pod: facts, isLive: false, containers: planContainers(object) }
}

const LONGEST_MS = 3_600_000

/** The window of `collect`, but at most an hour: a runner that ran for days must not store days of its node's journal. */
function journalWindow({ facts, diedAt }: EndedPod, now: number): Window {
  const { from } = chooseWindow({ since: null, until: null }, [facts.startedAt, facts.createdAt], now)
  return { from: Math.max(from, diedAt - LONGEST_MS), to: null }
}

const SHORTER_MS = [600_000, 120_000, 30_000]

/** A truncated journal ends before the death, so a shorter window is requested until the journal fits. */
function unlessCut(agent: NodeAgent, { diedAt }: EndedPod): ThisHost {
  const journal = async (window: JournalWindow, signal: AbortSignal): ReturnType<ThisHost['journal']> => {
    let copy = await agent.journal(window, signal)
    for (const before of SHORTER_MS) {
      if (copy.kind === 'blind' || !copy.value.ending().gaps.some(({ code }) => code === 'truncated')) return copy
      const since = Math.max(window.since ?? 0, diedAt - before)
      copy = await agent.journal({ ...window, since }, signal)
    }
    return copy
  }
  return { ...agent, journal }
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
    if (!saysMore(file, draft.files.get(path))) return true
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
export function saysMore({ content }: BundleFile, heard: BundleFile | undefined): boolean {
  const length = (value: BundleFile['content']): number => (typeof value === 'string' ? value.length : 0)
  return heard === undefined || length(content) >= length(heard.content)
}

/** The pods per node, so that the agents keep their files open. */
export function* onNodes(pods: Iterable<TrackedPod>): Generator<WatchedPod> {
  for (const { uid, facts } of pods) {
    if (facts.node === null) continue
    const containers = facts.containers.flatMap(({ name, id }) => (id === null ? [] : [{ name, id }]))
    yield { node: facts.node, uid, containers }
  }
}
