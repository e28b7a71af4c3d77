import type { Ending } from './ending.ts'
import { EXIT_CODES } from './exit-code.ts'
import type { BootExtent, Evidence } from './evidence.ts'
import { fieldFact } from './fact.ts'
import type { Fact } from './fact.ts'
import { knownRunnerContainer, terminatedState } from '#/core/kubernetes/runner-container.ts'

/** What happened to the node of the pod. */
export type NodeState = {
  /** Facts that show that the node went down. */
  readonly gone: readonly Fact[]
  /** The node stopped reporting, which can be temporary. */
  readonly silent: readonly Fact[]
  /** The journal continues past the death in one boot: the machine stayed up. */
  readonly sameBoot: Fact | null
  /** The runtime or the kubelet failed. */
  readonly runtime: readonly Fact[]
  readonly storage: readonly Fact[]
  /** Other pods of the node ended the same way in the same minutes. */
  readonly peers: Fact | null
}

const BEFORE_MS = 120_000
const AFTER_MS = 60_000
const SECONDS_AFTER_MS = 5000
const MINUTE_MS = 60_000
const SEVERAL = 2

export function readNodeState(evidence: Evidence, ending: Ending): NodeState {
  const near = evidence.clues.filter(({ at }) => isNear(at, ending.at))
  return {
    gone: [
      ...nodeObject(evidence),
      ...bootChange(evidence, ending),
      ...near.filter(({ is, about }) => about === 'node' && (is === 'kernel-panic' || is === 'node-rebooted')),
      ...evidence.clues.filter((fact) => fact.is === 'node-deleted' && isSince(fact, ending)),
      ...garbageCollected(evidence),
    ],
    silent: [
      ...evidence.clues.filter((fact) => fact.is === 'node-not-ready' && isSince(fact, ending)),
      ...notReady(evidence, ending),
    ],
    sameBoot: sameBoot(evidence, ending),
    runtime: near.filter((fact) => isRuntimeFault(fact)),
    storage: near.filter(({ is }) => is === 'io-error' || is === 'filesystem-error'),
    peers: peers(evidence, ending),
  }
}

function isNear(at: number | null, endedAt: number | null): boolean {
  if (at === null || endedAt === null) return true
  return at >= endedAt - BEFORE_MS && at <= endedAt + AFTER_MS
}

/** A node is not ready minutes after it fell silent. The last line of a log is no end: a quiet runner may have lived until then. */
function isSince({ at }: Fact, ending: Ending): boolean {
  if (at === null || ending.at === null) return true
  return at >= ending.at - BEFORE_MS && (at <= ending.at + AFTER_MS || (ending.isAtLeast && ending.facts.length === 0))
}

function isRuntimeFault({ is, about, fields }: Fact): boolean {
  if (is === 'shim-lost') return about === 'subject'
  if (is === 'service-exited' || is === 'unit-failed')
    return /^(?:containerd|kubelet|docker|crio)/.test(fields['unit'] ?? '')
  return is === 'runtime-unreachable' || is === 'pleg-unhealthy' || is === 'node-agent-started'
}

function nodeObject({ isNodeListed, subject }: Evidence): readonly Fact[] {
  if (isNodeListed !== false) return []
  return [
    fieldFact({
      is: 'node-missing',
      source: 'kubernetes/nodes',
      at: null,
      about: 'node',
      text: `node ${subject.node} is no longer in the list of nodes`,
    }),
  ]
}

function notReady({ node }: Evidence, { at }: Ending): readonly Fact[] {
  const ready = node?.conditions.find(({ type }) => type === 'Ready')
  if (
    ready === undefined ||
    ready.status === 'True' ||
    (at !== null && ready.since !== null && ready.since < at - BEFORE_MS)
  )
    return []
  return [
    fieldFact({
      is: 'node-silent',
      source: 'kubernetes/nodes',
      at: ready.since,
      about: 'node',
      text: `node ${node?.name} is not ready: ${ready.reason ?? ready.status}`,
    }),
  ]
}

function garbageCollected({ pod }: Evidence): readonly Fact[] {
  const condition = pod?.conditions.find(
    ({ type, reason }) => type === 'DisruptionTarget' && reason === 'DeletionByPodGC',
  )
  if (condition === undefined) return []
  return [
    fieldFact({
      is: 'garbage-collected',
      source: 'kubernetes/pods',
      at: condition.since,
      text: `the garbage collector removed the pod: ${condition.message ?? 'its node is gone'}`,
    }),
  ]
}

/** The boot in which the runner started: a late end time may fall into the next one. */
function findBoot({ boots, pod, log }: Evidence, { at }: Ending): BootExtent | null {
  const began = pod?.startedAt ?? log?.firstAt ?? at
  return boots.findLast(({ from }) => began !== null && from <= began) ?? null
}

function bootChange(evidence: Evidence, ending: Ending): readonly Fact[] {
  const before = findBoot(evidence, ending)
  const after = evidence.boots.find(({ from }) => before !== null && from > before.from)
  // A boot that lasted well past the death was not ended by what killed the runner.
  if (before === null || after === undefined || ending.at === null || before.to > ending.at + AFTER_MS) return []
  return [
    fieldFact({
      is: 'boot-changed',
      source: `journal/${evidence.subject.node}`,
      at: after.from,
      about: 'node',
      text: `the node booted again (boot ${after.id}): the journal of the boot before breaks off`,
    }),
  ]
}

function sameBoot(evidence: Evidence, ending: Ending): Fact | null {
  const boot = findBoot(evidence, ending)
  if (boot === null || ending.at === null || boot.to < ending.at + SECONDS_AFTER_MS) return null
  return fieldFact({
    is: 'same-boot',
    source: `journal/${evidence.subject.node}`,
    at: boot.from,
    about: 'node',
    text: `the journal continues past the death in the same boot (${boot.id})`,
  })
}

function peers({ neighbours }: Evidence, { at }: Ending): Fact | null {
  if (at === null) return null
  const fallen = neighbours.filter((pod) => {
    const runner = knownRunnerContainer(pod)
    const end = runner === null ? null : terminatedState(runner)
    return (
      end !== null &&
      end.exitCode === EXIT_CODES.lost &&
      end.finishedAt !== null &&
      Math.abs(end.finishedAt - at) <= MINUTE_MS * SEVERAL
    )
  })
  if (fallen.length < SEVERAL) return null
  return fieldFact({
    is: 'peers-fell',
    source: 'kubernetes/pods',
    at,
    about: 'node',
    text: `${fallen.length} other pods of the node were lost in the same minutes`,
  })
}
