import { formatDuration } from '#/core/basics/duration.ts'
import type { RunnerPool } from '#/core/pools/runner-pool.ts'
import type { NodeNow, PodNow, RetireReason } from './world.ts'

/** Nobody can be working in it: its runner has not begun, and no job has its slot. */
export function isIdle({ life, slot, isDeleting }: PodNow): boolean {
  const isBefore = life === 'scheduling' || life === 'starting' || life === 'waiting'
  return isBefore && !isDeleting && (slot === 'warm' || slot === 'absent')
}

/** Its slot was ended before its pod was removed: by us, or by somebody who no longer goes on. */
export function isLeftOver({ life, slot, isDeleting }: PodNow): boolean {
  const isBefore = life === 'scheduling' || life === 'starting' || life === 'waiting'
  return isBefore && !isDeleting && (slot === 'ended' || slot === 'lost')
}

export function isStarting({ life }: Pick<PodNow, 'life'>): boolean {
  return life === 'scheduling' || life === 'starting'
}

export type Retirement = { readonly pod: PodNow; readonly reason: RetireReason; readonly why: string }

type Judged = {
  readonly spec: Pick<RunnerPool, 'size'>
  readonly leaving: ReadonlySet<string>
  readonly now: number
}

/** Why an idle pod goes whatever the pool needs; null if it may stay. */
export function mustGo(pod: PodNow, { spec, leaving, now }: Judged): Retirement | null {
  if (pod.isDrained) return { pod, reason: 'drained', why: 'it has the label signalbox.dev/drain' }
  if (pod.node !== null && leaving.has(pod.node)) {
    return { pod, reason: 'node-leaves', why: `node ${pod.node} is cordoned or being deleted` }
  }
  const { startTimeoutMs } = spec.size
  const since = pod.scheduledAt ?? pod.createdAt
  if (!isStarting(pod) || now - since < startTimeoutMs) return null
  const what = pod.node === null ? 'has no node' : 'has not started'
  const why = `it ${what} after ${formatDuration(startTimeoutMs)}: ${pod.obstacle ?? 'the kubelet reports no reason'}`
  return { pod, reason: 'never-started', why }
}

export function leavingNodes(nodes: readonly NodeNow[]): ReadonlySet<string> {
  return new Set(nodes.flatMap(({ name, isLeaving }) => (isLeaving ? [name] : [])))
}

/** Who goes first: of a former template, then what is of no use yet, then who has waited longest. */
export function byUse(template: string | null): (a: PodNow, b: PodNow) => number {
  const rank = (pod: PodNow): number => (isFormer(pod, template) ? 0 : pod.life === 'waiting' ? 2 : 1)
  return (a, b) => rank(a) - rank(b) || idleSince(a) - idleSince(b) || (a.uid < b.uid ? -1 : 1)
}

export function idleSince({ waitsSince, createdAt }: PodNow): number {
  return waitsSince ?? createdAt
}

export function isFormer(pod: Pick<PodNow, 'template'>, template: string | null): boolean {
  return template !== null && pod.template !== template
}
