import { textAt } from '#/core/basics/fields.ts'
import type { ContainerFacts, PodFacts } from '#/core/kubernetes/pod-facts.ts'
import { readPod } from '#/core/kubernetes/pod-facts.ts'
import { runnerCandidates } from '#/core/kubernetes/runner-container.ts'
import { POLLER } from '#/core/pools/check-template.ts'
import { DRAIN_LABEL, EVIDENCE_FINALIZER, ownPodScope, TEMPLATE_ANNOTATION } from '#/core/pools/own-pod.ts'

/** An own pod, as the pools look at it. */
export type PoolPod = {
  readonly uid: string
  readonly namespace: string
  readonly name: string
  readonly scope: string
  readonly node: string | null
  readonly createdAt: number
  readonly scheduledAt: number | null
  /** Since when its poller asks for a job; null before and after that. */
  readonly waitsSince: number | null
  /** What it was made from. */
  readonly template: string | null
  readonly life: PodLife
  readonly isDeleting: boolean
  /** Somebody set the label with which it takes no further job. */
  readonly isDrained: boolean
  readonly holdsEvidence: boolean
  /** What keeps it from starting, or ended it before its runner began, as the scheduler or the kubelet says it. */
  readonly obstacle: string | null
}

/**
 * `scheduling`: no node yet. `starting`: on a node. `waiting`: its poller asks for a job. `running`: the poller is done, or
 * the runner has begun. `failing`: the poller failed and the kubelet has not ended the pod yet. `ended`: for good.
 */
export type PodLife = 'scheduling' | 'starting' | 'waiting' | 'running' | 'failing' | 'ended'

/** Null for a pod of somebody else. */
export function readPoolPod(object: unknown): PoolPod | null {
  const scope = ownPodScope(object)
  const facts = readPod(object)
  if (scope === null || facts.uid === null) return null
  const poller = facts.containers.find(({ name, role }) => name === POLLER && role === 'init') ?? null
  const life = readPodLife(facts, poller)
  const { uid, namespace, name, node } = facts
  return {
    uid,
    namespace,
    name,
    scope,
    node,
    createdAt: facts.createdAt ?? 0,
    scheduledAt: conditionSince(facts, 'PodScheduled', 'True'),
    waitsSince: life === 'waiting' && poller?.state.kind === 'running' ? poller.state.startedAt : null,
    template: textAt(object, 'metadata', 'annotations', TEMPLATE_ANNOTATION),
    life,
    isDeleting: facts.deletedAt !== null,
    // A label without a value counts too.
    isDrained: facts.labels[DRAIN_LABEL] !== undefined,
    holdsEvidence: finalizersOf(object).includes(EVIDENCE_FINALIZER),
    obstacle: life === 'waiting' || life === 'running' ? null : findObstacle(facts),
  }
}

export function finalizersOf(object: unknown): readonly string[] {
  const { metadata } = object as { readonly metadata?: { readonly finalizers?: unknown } }
  const finalizers = metadata?.finalizers
  return Array.isArray(finalizers) ? finalizers.filter((one) => typeof one === 'string') : []
}

function readPodLife(facts: PodFacts, poller: ContainerFacts | null): PodLife {
  if (facts.phase === 'Succeeded' || facts.phase === 'Failed') return 'ended'
  const runners = runnerCandidates(facts)
  if (runners.length > 0 && runners.every(({ state }) => state.kind === 'terminated')) return 'ended'
  if (runners.some(hasBegun)) return 'running'
  switch (poller?.state.kind) {
    case 'running':
      return 'waiting'
    case 'terminated':
      return poller.state.exitCode === 0 ? 'running' : 'failing'
    default:
      return facts.node === null ? 'scheduling' : 'starting'
  }
}

function hasBegun({ state, last, restarts }: ContainerFacts): boolean {
  return state.kind === 'running' || state.kind === 'terminated' || last.kind !== 'unknown' || restarts > 0
}

function conditionSince({ conditions }: PodFacts, type: string, status: string): number | null {
  return conditions.find((one) => one.type === type && one.status === status)?.since ?? null
}

/** What every container waits for while another one starts is no obstacle. */
const USUAL: ReadonlySet<string> = new Set(['PodInitializing', 'ContainerCreating'])

function findObstacle({ conditions, containers, reason, message }: PodFacts): string | null {
  const unscheduled = conditions.find(({ type, status }) => type === 'PodScheduled' && status === 'False')
  if (unscheduled !== undefined) return sentence('PodScheduled is False', unscheduled.reason, unscheduled.message)
  for (const { name, state, last } of containers) {
    if (state.kind === 'waiting' && state.reason !== null && !USUAL.has(state.reason)) {
      return sentence(`container ${name} waits`, state.reason, state.message)
    }
    const end = state.kind === 'terminated' ? state : last
    if (end.kind === 'terminated' && end.exitCode !== 0) {
      return sentence(`container ${name} ended with exit code ${end.exitCode ?? 'unknown'}`, end.reason, end.message)
    }
  }
  // As for one that was evicted, or that a node refused.
  return reason === null ? null : sentence('the pod failed', reason, message)
}

const LONGEST = 400

function sentence(what: string, reason: string | null, message: string | null): string {
  const text = [what, reason, message].filter((part) => part !== null).join(': ')
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
}

/** It has no node because none is free: it holds nothing that another start could need. */
export function isUnschedulable({ life, obstacle }: Pick<PoolPod, 'life' | 'obstacle'>): boolean {
  return life === 'scheduling' && obstacle !== null
}
